// Rights of members, which also limit their sessions, tokens, and the invitations that they send.
import { computeEffectiveRights, type Right } from '#platform/rights.ts';
import type { Reader } from '#platform/server/database/database.ts';
import { AppError } from '#platform/server/errors.ts';
import type { Actor, Caller } from '#platform/server/http/serve.ts';
import { findMembership } from './settings.sql.ts';

/** Returns the rights of a member of the account; none for other users. */
export async function readRights(
  db: Reader,
  { accountId, userId }: Actor,
): Promise<ReadonlySet<Right>> {
  const membership = await findMembership(db, accountId, userId);
  return membership ? computeEffectiveRights(membership.denied) : new Set();
}

/**
 * Ensures that callers grant only rights that they have.
 * @throws right_not_yours for a right that the caller lacks
 */
export function requireOwnRights(caller: Pick<Caller, 'rights'>, rights: readonly Right[]): void {
  const missing = rights.find((right) => !caller.rights.has(right));
  if (missing !== undefined) throw new AppError('right_not_yours', { extra: { right: missing } });
}
