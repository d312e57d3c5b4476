// Creates SMS of workflows and of the API, with the same prefix and ending as those of campaigns, and finds
// their senders.
import { pricesFor } from '#areas/delivery/server/ledger/index.ts';
import { parsePhone } from '#areas/subscribers/server/index.ts';
import type { Reader, Tx } from '#platform/server/database/database.ts';
import { AppError } from '#platform/server/errors.ts';
import type { PhoneKind } from '../shared.ts';
import type { FrozenSms } from './channel.ts';
import { maySendFrom } from './phone-owners.ts';
import { activePhones, findPhone } from './phones.sql.ts';
import { readSmsTexts } from './settings.ts';
import { type Draft, renderPreview, smsSource, resolveSmsUtm } from './message-text.ts';

/** @throws `phone_not_active` */
export async function automatedSms(
  tx: Tx,
  accountId: number,
  { phoneId, ...draft }: Draft & { phoneId: number },
  publicUrl: string,
): Promise<{ text: FrozenSms; maxParts: number }> {
  const phone = await findPhone(tx, accountId, phoneId);
  if (!phone || !(await maySendFrom(tx, accountId, phone))) {
    throw new AppError('phone_not_active');
  }
  const kind = phone.kind as PhoneKind;
  const facts = { title: draft.title, id: '', groups: [], at: null };
  const utm = await resolveSmsUtm(tx, accountId, draft, facts);
  const source = smsSource(draft, await readSmsTexts(tx, accountId), kind, utm);
  const isName = kind === 'alphanumeric';
  const text = { from: phone.value, title: draft.text, isName, kind, publicUrl, words: source };
  return { text, maxParts: await usualParts(tx, accountId, source, publicUrl) };
}

/**
 * Number of parts of the newest subscriber's copy; credit for as many is reserved per recipient. 0
 * if SMS are free.
 */
async function usualParts(
  tx: Tx,
  accountId: number,
  source: FrozenSms['words'],
  publicUrl: string,
): Promise<number> {
  if (!(await pricesFor(tx, accountId))) return 0;
  return (await renderPreview(tx, accountId, source, undefined, publicUrl)).shown.parts;
}

/** Whether the account may send from this sender. */
export async function isSmsSender(db: Reader, accountId: number, phoneId: number) {
  return maySendFrom(db, accountId, await findPhone(db, accountId, phoneId));
}

/**
 * Returns the sender of an API SMS: the active sender with the number or name `from`, or the
 * account's only active sender if `from` is undefined. Undefined if there is not exactly one, or if
 * the account may not send from it.
 */
export async function findSmsSender(
  db: Reader,
  accountId: number,
  from: string | undefined,
): Promise<{ id: number; kind: PhoneKind } | undefined> {
  const number = from === undefined ? undefined : parsePhone(from);
  const key = typeof number === 'object' ? number.phone : from?.trim().toLowerCase();
  const [phone, second] = await activePhones(db, accountId, key);
  if (!phone || second || !(await maySendFrom(db, accountId, phone))) return undefined;
  return { id: phone.id, kind: phone.kind as PhoneKind };
}
