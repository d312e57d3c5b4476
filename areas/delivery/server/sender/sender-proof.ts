// Checks whether a sender address may be used: where verification is required, only on verified
// domains of the account.
import { isVerifiedSender } from '#areas/domains/server/index.ts';
import type { Reader } from '#platform/server/database/database.ts';
import { messageKindFacts, type MessageKind } from '../../message-kinds.ts';
import { deliverySettings } from '../settings.ts';

/**
 * Whether senders must be verified. With the built-in inbox email stays on this machine, and any
 * sender is allowed.
 */
export const needsProof = () => deliverySettings().needsVerifiedSender;

/** System emails leave in the name of the installation, not of an account. */
export async function isPermittedSender(
  db: Reader,
  accountId: number,
  kind: MessageKind,
  email: string,
): Promise<boolean> {
  if (!needsProof() || messageKindFacts(kind).isOwn) return true;
  return isVerifiedSender(db, accountId, email);
}
