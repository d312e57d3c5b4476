// A text that automation sends: the same words around it as around a campaign's.
import type { Reader, Tx } from '#platform/server/database.ts';
import { AppError } from '#platform/server/errors.ts';
import type { PhoneKind } from '../limits.ts';
import type { FrozenText } from './channel.ts';
import { findPhone } from './phones.sql.ts';
import { wordsOf } from './settings.ts';
import { type Draft, textSource } from './text.ts';

/** @throws `phone_not_active` */
export async function automatedText(
  tx: Tx,
  accountId: number,
  { phoneId, ...draft }: Draft & { phoneId: number },
  publicUrl: string,
): Promise<FrozenText> {
  const phone = await findPhone(tx, accountId, phoneId);
  if (phone?.status !== 'active') throw new AppError('phone_not_active');
  const kind = phone.kind as PhoneKind;
  const words = textSource(draft, await wordsOf(tx, accountId), kind);
  const isName = kind === 'alphanumeric';
  return { from: phone.value, title: draft.text, isName, publicUrl, words };
}

/** Whether texts may come from this number or name now. */
export async function isTextSender(db: Reader, accountId: number, phoneId: number) {
  return (await findPhone(db, accountId, phoneId))?.status === 'active';
}
