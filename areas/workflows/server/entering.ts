// Facts become people in workflows: who may enter, asked in sets.
import { matching } from '#areas/segments/server/index.ts';
import type { Tx } from '#platform/server/database.ts';
import { DEPTH_MOST } from '../limits.ts';
import { type FactRow, insertRuns, listenersOf, saveRuns, takeFacts } from './runs.sql.ts';
import { placeOf } from './shares.ts';
import type { Tree } from './tree.ts';
import { settingsOf } from './workflows.ts';
import type { WorkflowRow } from './workflows.sql.ts';

/** So many facts are taken in by one turn. */
const FACTS_MOST = 20;
const DAY = 86_400_000;

/** Answers how many facts it took. */
export async function takeIn(
  tx: Tx,
  accountId: number,
  active: ReadonlyMap<number, { row: WorkflowRow; tree: Tree }>,
  now: Date,
): Promise<number> {
  const facts = await takeFacts(tx, accountId, FACTS_MOST);
  if (facts.length === 0) return 0;
  const listeners = await listenersOf(tx, accountId);
  for (const fact of facts) {
    const heard = listeners.filter((one) => one.kind === fact.kind && one.ref === fact.ref);
    for (const { workflow_id: id } of heard) {
      const workflow = active.get(id);
      // What was told before it was activated is not its own.
      if (!workflow?.row.activated_at || workflow.row.activated_at > fact.at) continue;
      await enter(tx, workflow, fact, now);
    }
  }
  return facts.length;
}

async function enter(
  tx: Tx,
  { row, tree }: { row: WorkflowRow; tree: Tree },
  fact: FactRow,
  now: Date,
): Promise<void> {
  if (fact.depth > DEPTH_MOST) return;
  const { account_id: accountId, id: workflowId } = row;
  const settings = settingsOf(row);
  const ids = await matching(
    tx,
    accountId,
    settings.entry_conditions as never,
    fact.subscriber_ids,
    now,
  );
  const isHeldOut = (id: number) => placeOf(`holdout/${workflowId}`, id) < settings.holdout * 100;
  const entering = {
    ...{ workflowId, stepId: tree.trigger.id, at: now, depth: fact.depth },
    againBefore: againBefore(settings, now),
  };
  const entered = await insertRuns(tx, accountId, { ...entering, ids });
  const held = entered.filter(isHeldOut);
  await saveRuns(
    tx,
    accountId,
    held.map((subscriberId) => ({
      ...{ workflow_id: workflowId, subscriber_id: subscriberId, step_id: tree.trigger.id },
      ...{ is_begun: true, wake_at: null, ended_at: now, outcome: 'held_out', left: [] },
    })),
  );
}

function againBefore(settings: ReturnType<typeof settingsOf>, now: Date): Date | null {
  switch (settings.reentry) {
    case 'never':
      return null;
    case 'ended':
      return now;
    default:
      return new Date(now.getTime() - settings.reentry_days * DAY);
  }
}
