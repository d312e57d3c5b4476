// Checks whether an email may be sent from an address. If the installation requires verification,
// the sender must be verified for the account.
import { isVerifiedSender } from '#areas/domains/server/index.ts';
import type { Reader } from '#platform/server/database/database.ts';
import { getMessageKindRules, type MessageKind } from '../../message-kinds.ts';
import { deliverySettings } from '../settings.ts';

/**
 * Returns whether senders must be verified. With the built-in inbox, email stays on this machine,
 * so any sender is allowed.
 */
export const needsProof = () => deliverySettings().needsVerifiedSender;

/**
 * Returns true for all system emails because their sender is the installation and not an account.
 */
export async function isPermittedSender(
  db: Reader,
  accountId: number,
  kind: MessageKind,
  email: string,
): Promise<boolean> {
  if (!needsProof() || getMessageKindRules(kind).isOwn) return true;
  return isVerifiedSender(db, accountId, email);
}
