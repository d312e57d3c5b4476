// Members of a trigger segment, determined at activation so that only later members enter.
import { createHash } from 'node:crypto';
import type { Condition } from '#areas/segments/shared.ts';
import { compileAnyOf, readSegmentConditions } from '#areas/segments/server/index.ts';
import type { Reader, Tx } from '#platform/server/database/database.ts';
import type { RunnableWorkflow } from '../runs/active.ts';
import { deleteMembers, sweepMembers } from './members.sql.ts';
import { decodeOptionalId } from '../steps/readiness.ts';
import { getStepData } from '../steps/tree.ts';
import { updateWorkflow, type WorkflowRow } from '../workflows.sql.ts';

/**
 * Reads the conditions of the trigger segment; undefined for other triggers or a deleted segment.
 */
export async function readTriggerSegment(
  db: Reader,
  { row, tree }: Pick<RunnableWorkflow, 'row' | 'tree'>,
): Promise<Condition[] | undefined> {
  const { triggerType, segment } = getStepData(tree.trigger, 'trigger');
  if (triggerType !== 'SEGMENT_ENTER') return undefined;
  const ids = [decodeOptionalId('segment', segment) ?? 0];
  return (await readSegmentConditions(db, row.account_id, ids))[0];
}

const hashConditions = (conditions: readonly Condition[]) =>
  createHash('sha256').update(JSON.stringify(conditions)).digest('base64url').slice(0, 20);

/** Returns false if the members were determined with other conditions. */
export const isSettled = (row: WorkflowRow, conditions: readonly Condition[]): boolean =>
  row.segment_key === hashConditions(conditions);

/** Determines the current members, who do not enter; subscribers who match later do. */
export async function determineInitialMembers(
  tx: Tx,
  row: WorkflowRow,
  conditions: readonly Condition[],
  now: Date,
): Promise<void> {
  const { account_id: accountId, id } = row;
  await deleteMembers(tx, accountId, id);
  const predicate = await compileAnyOf(tx, accountId, [conditions], {
    now,
    matchesAllIfUnknown: false,
  });
  if (predicate) await sweepMembers(tx, accountId, id, predicate);
  const settledState = { segment_key: hashConditions(conditions), swept_at: now };
  await updateWorkflow(tx, accountId, id, settledState);
  Object.assign(row, settledState);
}
