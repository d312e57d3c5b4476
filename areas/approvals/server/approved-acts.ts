// Approvals of actions that run in the background, and requests about subscribers who are erased.
import type { Reader, Tx } from '#platform/server/database/database.ts';
import type { ApprovalKindName } from '../shared.ts';
import { endOpen, insertAgain } from './approvals.ts';
import * as store from './approvals.sql.ts';

/**
 * How many more subscribers the act may change; null: any number; undefined: the approval is not in
 * force.
 */
export async function approvedRest(
  db: Reader,
  accountId: number,
  id: number,
): Promise<number | null | undefined> {
  const row = await store.findApproval(db, accountId, id);
  if (!row?.is_in_force) return undefined;
  return row.ceiling === null ? null : Math.max(0, row.ceiling - row.used);
}

/**
 * Counts subscribers that the act changes in this transaction. False if they exceed the ceiling of
 * its approval: then it must not change them.
 */
export const useApproval = (
  tx: Tx,
  accountId: number,
  id: number,
  count: number,
): Promise<boolean> => store.useCeiling(tx, accountId, id, count);

/** An act in the background. Those of earlier versions know only the number of their selection. */
type Act = { id: number | undefined; kind: ApprovalKindName; subject: number };

const approvalOf = async (tx: Tx, accountId: number, { id, kind, subject }: Act) =>
  id === undefined
    ? ((await store.findInForce(tx, accountId, { kind, subject })) ??
      store.findApproved(tx, accountId, { kind, subject }))
    : store.findApproval(tx, accountId, id);

/** The act has ended. */
export async function releaseAct(tx: Tx, accountId: number, act: Act): Promise<void> {
  const row = await approvalOf(tx, accountId, act);
  if (row) await store.releaseSelection(tx, accountId, row.id);
}

/**
 * Ends the approval of an act and requests it again for what is left. False if no user can have
 * requested it: the author left the account.
 */
export async function requestRest(
  tx: Tx,
  accountId: number,
  act: Act,
  rest: { subject: number; input: Record<string, unknown> },
): Promise<boolean> {
  const row = await approvalOf(tx, accountId, act);
  if (!row) return false;
  await store.releaseSelection(tx, accountId, row.id);
  return insertAgain(tx, row, rest);
}

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
