// Creates SMS for workflows and the API, with the same prefix and ending as campaigns, and finds
// their senders.
import { pricesFor } from '#areas/delivery/server/ledger/index.ts';
import { parsePhone } from '#areas/subscribers/server/index.ts';
import type { Reader, Tx } from '#platform/server/database/database.ts';
import { AppError } from '#platform/server/errors.ts';
import type { PhoneKind } from '../shared.ts';
import type { FrozenSmsText } from './channel.ts';
import { maySendFrom } from './phone-owners.ts';
import { listActivePhones, findPhone } from './phones.sql.ts';
import { readSmsTexts } from './settings.ts';
import { type SmsDraft, renderPreview, createSmsSource, resolveSmsUtm } from './message-text.ts';

/** @throws `phone_not_active` */
export async function createAutomatedSms(
  tx: Tx,
  accountId: number,
  { phoneId, ...draft }: SmsDraft & { phoneId: number },
  publicUrl: string,
): Promise<{ text: FrozenSmsText; maxParts: number }> {
  const phone = await findPhone(tx, accountId, phoneId);
  if (!phone || !(await maySendFrom(tx, accountId, phone))) {
    throw new AppError('phone_not_active');
  }
  const phoneKind = phone.kind as PhoneKind;
  const utmContext = { title: draft.title, id: '', groups: [], at: null };
  const utm = await resolveSmsUtm(tx, accountId, draft, utmContext);
  const source = createSmsSource(draft, await readSmsTexts(tx, accountId), phoneKind, utm);
  const isName = phoneKind === 'alphanumeric';
  const text = {
    from: phone.value,
    title: draft.text,
    isName,
    kind: phoneKind,
    publicUrl,
    words: source,
  };
  return { text, maxParts: await estimateUsualParts(tx, accountId, source, publicUrl) };
}

/**
 * Returns the number of parts of the newest subscriber's copy, which sets the credit reserved per
 * recipient; 0 if SMS are free.
 */
async function estimateUsualParts(
  tx: Tx,
  accountId: number,
  source: FrozenSmsText['words'],
  publicUrl: string,
): Promise<number> {
  if (!(await pricesFor(tx, accountId))) return 0;
  return (await renderPreview(tx, accountId, source, undefined, publicUrl)).shown.parts;
}

/** Returns whether the account may send from this sender. */
export async function isSmsSender(db: Reader, accountId: number, phoneId: number) {
  return maySendFrom(db, accountId, await findPhone(db, accountId, phoneId));
}

/**
 * Returns the sender of an API SMS: the active sender with this number or name or, if `sender` is
 * undefined, the account's only active sender. Undefined if there is not exactly one such sender,
 * or if the account may not send from it.
 */
export async function findSmsSender(
  db: Reader,
  accountId: number,
  sender: string | undefined,
): Promise<{ id: number; kind: PhoneKind } | undefined> {
  const number = sender === undefined ? undefined : parsePhone(sender);
  const key = typeof number === 'object' ? number.phone : sender?.trim().toLowerCase();
  const [phone, second] = await listActivePhones(db, accountId, key);
  if (!phone || second || !(await maySendFrom(db, accountId, phone))) return undefined;
  return { id: phone.id, kind: phone.kind as PhoneKind };
}
