// Acts in the background that were approved, and requests that name subscribers who are erased.
import type { Reader, Tx } from '#platform/server/database/database.ts';
import type { ApprovalKindName } from '../shared.ts';
import { endOpen } from './approvals.ts';
import * as store from './approvals.sql.ts';

/**
 * How many more subscribers the act may change; null: any number. 0 if no approval is in force.
 */
export async function approvedRest(
  db: Reader,
  accountId: number,
  kind: ApprovalKindName,
  subject: number,
): Promise<number | null> {
  const row = await store.findInForce(db, accountId, { kind, subject });
  if (!row) return 0;
  return row.ceiling === null ? null : Math.max(0, row.ceiling - row.used);
}

/**
 * Counts subscribers that the act changes in this transaction. False if they exceed the ceiling of
 * its approval: then it must not change them.
 */
export const useApproval = (
  tx: Tx,
  accountId: number,
  { kind, subject }: { kind: ApprovalKindName; subject: number },
  count: number,
): Promise<boolean> => store.useCeiling(tx, accountId, { kind, subject }, count);

/**
 * Locks the open requests of a kind. An approval locks its request before the subscribers, so an act
 * that may end requests does so too.
 */
export async function lockRequests(
  tx: Tx,
  accountId: number,
  kind: ApprovalKindName,
): Promise<void> {
  await store.lockOpenOfKind(tx, accountId, kind);
}

/** Ends open requests of a kind whose input is affected, and deletes the input. */
export async function endAffected(
  tx: Tx,
  accountId: number,
  kind: ApprovalKindName,
  isAffected: (input: Record<string, unknown>) => boolean,
): Promise<void> {
  for (const row of await store.lockOpenOfKind(tx, accountId, kind))
    if (isAffected(row.input)) await endOpen(tx, row, 'outdated');
}
