// Whose mails may leave: where it matters, only those of a domain that is its account's and signs.
import { isVerifiedSender } from '#areas/domains/server/index.ts';
import type { Reader } from '#platform/server/database.ts';
import { factsOf, type MessageKind } from '../../message-kinds.ts';
import { deliverySettings } from '../settings.ts';

/** Else mails stay on this machine, and may come from anybody. */
export const needsProof = () => deliverySettings().needsVerifiedSender;

/** Letters are the product's own: they leave as the installation, not as an account. */
export async function mayComeFrom(
  db: Reader,
  accountId: number,
  kind: MessageKind,
  email: string,
): Promise<boolean> {
  if (!needsProof() || factsOf(kind).isOwn) return true;
  return isVerifiedSender(db, accountId, email);
}
