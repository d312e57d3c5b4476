// The sender of a form's emails.
import { ownerOf } from '#areas/accounts/server/index.ts';
import { needsProof } from '#areas/delivery/server/sender/index.ts';
import { isVerifiedSender } from '#areas/domains/server/index.ts';
import type { Reader } from '#platform/server/database/database.ts';
import type { Settings } from '../settings-contract.ts';
import type { UnsentReason } from './submissions.sql.ts';

/**
 * The form's own sender, or without one the account's owner, as the double opt-in screen suggests;
 * the reason if that sender cannot be used.
 */
export async function confirmationSender(
  db: Reader,
  accountId: number,
  { confirmation }: Settings,
): Promise<Settings['confirmation'] | UnsentReason> {
  const from = confirmation.from_email || (await ownerOf(db, accountId))?.email;
  const isUsable =
    from !== undefined && (!needsProof() || (await isVerifiedSender(db, accountId, from)));
  if (isUsable) return { ...confirmation, from_email: from };
  return confirmation.from_email ? 'sender_not_verified' : 'sender_missing';
}

/**
 * Whether the form emails the code or the prize: it has a usable sender, and the author did not
 * turn it off.
 */
export async function isCodeEmailed(
  db: Reader,
  accountId: number,
  settings: Settings,
): Promise<boolean> {
  // Versions published before this setting existed have no value.
  if (settings.email_code === false) return false;
  return typeof (await confirmationSender(db, accountId, settings)) !== 'string';
}
