// Approvals of actions that run in the background, and requests about subscribers who are erased.
import type { Reader, Tx } from '#platform/server/database/database.ts';
import type { ApprovalKindName } from '../shared.ts';
import { endOpenApproval, insertAgain } from './approvals.ts';
import * as store from './approvals.sql.ts';

/**
 * Returns how many more subscribers the action may change; null means any number, and undefined
 * means that the approval is not in force.
 */
export async function getRemainingCeiling(
  db: Reader,
  accountId: number,
  id: number,
): Promise<number | null | undefined> {
  const row = await store.findApproval(db, accountId, id);
  if (!row?.is_in_force) return undefined;
  return row.ceiling === null ? null : Math.max(0, row.ceiling - row.used);
}

/**
 * Counts the subscribers that the action is about to change in this transaction. Returns false if
 * they exceed the ceiling of its approval, or if the approval is not in force. Then the action must
 * not change them.
 */
export const useApproval = (
  tx: Tx,
  accountId: number,
  id: number,
  count: number,
): Promise<boolean> => store.useCeiling(tx, accountId, id, count);

/**
 * An action in the background. Actions that earlier versions queued have no id of their approval,
 * only the id of their selection (`subject`).
 */
type ApprovedAction = { id: number | undefined; kind: ApprovalKindName; subject: number };

const findActionApproval = async (
  tx: Tx,
  accountId: number,
  { id, kind, subject }: ApprovedAction,
) =>
  id === undefined
    ? ((await store.findActiveApproval(tx, accountId, { kind, subject })) ??
      store.findApproved(tx, accountId, { kind, subject }))
    : store.findApproval(tx, accountId, id);

/** Ends the approval of an action that has ended. */
export async function releaseAction(
  tx: Tx,
  accountId: number,
  action: ApprovedAction,
): Promise<void> {
  const row = await findActionApproval(tx, accountId, action);
  if (row) await store.releaseSelection(tx, accountId, row.id);
}

/**
 * Ends the approval of an action and requests another for the remaining subscribers. Returns false
 * if nothing is requested, because the action has no approval or the requesting user has left the
 * account.
 */
export async function requestRemainder(
  tx: Tx,
  accountId: number,
  action: ApprovedAction,
  remainder: { subject: number; input: Record<string, unknown> },
): Promise<boolean> {
  const row = await findActionApproval(tx, accountId, action);
  if (!row) return false;
  await store.releaseSelection(tx, accountId, row.id);
  return insertAgain(tx, row, remainder);
}

/**
 * Locks the open requests of a kind. Approving locks the request before the subscribers, so an
 * action that may end requests must lock in the same order.
 */
export async function lockApprovalRequests(
  tx: Tx,
  accountId: number,
  kind: ApprovalKindName,
): Promise<void> {
  await store.lockOpenApprovals(tx, accountId, kind);
}

/** Ends open requests of a kind if their input is affected, and deletes the input. */
export async function expireAffectedRequests(
  tx: Tx,
  accountId: number,
  kind: ApprovalKindName,
  isAffected: (input: Record<string, unknown>) => boolean,
): Promise<void> {
  for (const row of await store.lockOpenApprovals(tx, accountId, kind))
    if (isAffected(row.input)) await endOpenApproval(tx, row, 'outdated');
}
