// The sender of a form's emails.
import { findOwner } from '#areas/accounts/server/index.ts';
import { needsProof } from '#areas/delivery/server/sender/index.ts';
import { isVerifiedSender } from '#areas/domains/server/index.ts';
import type { Reader } from '#platform/server/database/database.ts';
import type { FormSettings } from '../settings-contract.ts';
import type { UnsentReason } from './submissions.sql.ts';

/**
 * Returns the sender that the form's author set. If none is set, returns the account owner, whom
 * the double opt-in screen suggests. If the sender cannot be used, returns the reason.
 */
export async function findConfirmationSender(
  db: Reader,
  accountId: number,
  { confirmation }: FormSettings,
): Promise<FormSettings['confirmation'] | UnsentReason> {
  const fromEmail = confirmation.from_email || (await findOwner(db, accountId))?.email;
  const isUsable =
    fromEmail !== undefined &&
    (!needsProof() || (await isVerifiedSender(db, accountId, fromEmail)));
  if (isUsable) return { ...confirmation, from_email: fromEmail };
  return confirmation.from_email ? 'sender_not_verified' : 'sender_missing';
}

/**
 * Returns true if the form emails the code or the prize: it has a usable sender, and the author did
 * not turn these emails off.
 */
export async function isCodeEmailed(
  db: Reader,
  accountId: number,
  settings: FormSettings,
): Promise<boolean> {
  // Versions published before this setting existed have no value.
  if (settings.email_code === false) return false;
  return typeof (await findConfirmationSender(db, accountId, settings)) !== 'string';
}
