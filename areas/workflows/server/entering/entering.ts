// Processes facts: enters the subscribers whom the entry rules admit, and ends the runs of closed
// carts. After changes of subscribers, it wakes those whose delay waits for such a change, marks
// reached goals, and enters new members of a trigger segment.
import { filterMatching } from '#areas/segments/server/index.ts';
import type { Tx } from '#platform/server/database/database.ts';
import { MAX_DEPTH } from '../../shared.ts';
import type { ActiveWorkflows, RunnableWorkflow, WorkflowSettings } from '../runs/active.ts';
import type { Tally } from '../runs/counts.sql.ts';
import { CLOSED, REEVALUATE } from './facts.ts';
import { type WorkflowFactRow, listListeners, claimFacts } from './listeners.sql.ts';
import { updateMembers } from './members.sql.ts';
import { announceEnded } from '../runs/run-events.ts';
import {
  endRunsAbout,
  type NewRuns,
  insertRuns,
  reachGoal,
  saveRuns,
  wakeWaiting,
  excludeGoalReached,
} from '../runs/runs.sql.ts';
import { isSettled, readTriggerSegment, determineInitialMembers } from './segment-members.ts';
import { computeBucket } from '#areas/experiments/server/index.ts';
import { getStepData, listWaitingSteps } from '../steps/tree.ts';

/** Approximate maximum number of subscribers with facts processed in one turn. */
const MAX_FACTS = 50_000;
const DAY = 86_400_000;

/** Processes the oldest facts and returns the number processed. */
export async function ingestFacts(
  tx: Tx,
  accountId: number,
  active: ActiveWorkflows,
  tally: Tally,
  now: Date,
): Promise<number> {
  const claimedFacts = await claimFacts(tx, accountId, MAX_FACTS);
  if (claimedFacts.length === 0) return 0;
  const listeners = await listListeners(tx, accountId);
  for (const fact of claimedFacts) {
    if (fact.kind === REEVALUATE) continue;
    if (fact.kind === CLOSED) {
      await closeCart(tx, active, fact, tally, now);
      continue;
    }
    const matching = listeners.filter(
      (listener) => listener.kind === fact.kind && listener.ref === fact.ref,
    );
    for (const { workflow_id: id } of matching) {
      const workflow = active.get(id);
      // Facts recorded before activation do not start the workflow.
      if (!workflow?.row.activated_at || workflow.row.activated_at > fact.at) continue;
      const { subject, facts: factValues, depth, subscriber_ids: ids } = fact;
      await enterSubscribers(tx, workflow, { ids, depth, subject, facts: factValues }, tally, now);
    }
  }
  const reevaluations = claimedFacts.filter((fact) => fact.kind === REEVALUATE);
  const listeningIds = new Set(
    listeners
      .filter((listener) => listener.kind === REEVALUATE)
      .map((listener) => listener.workflow_id),
  );
  for (const id of reevaluations.length > 0 ? listeningIds : []) {
    const workflow = active.get(id);
    if (workflow) await reevaluate(tx, workflow, reevaluations, tally, now);
  }
  return claimedFacts.length;
}

/** Ends the runs that the cart started. */
async function closeCart(
  tx: Tx,
  active: ActiveWorkflows,
  { subject, subscriber_ids: ids }: WorkflowFactRow,
  tally: Tally,
  now: Date,
): Promise<void> {
  for (const { row, tree } of active.values()) {
    if (getStepData(tree.trigger, 'trigger').triggerType !== 'CART_ABANDONED') continue;
    const { account_id: accountId, id: workflowId } = row;
    const endedRuns = await endRunsAbout(tx, accountId, workflowId, { ids, subject, at: now });
    for (const { step_id, people } of endedRuns)
      tally.add(workflowId, step_id, 'cart_closed', people);
    await announceEnded(tx, { accountId, workflowId, outcome: 'cart_closed', at: now }, endedRuns);
  }
}

export type WorkflowEntry = Pick<NewRuns, 'ids' | 'depth' | 'subject' | 'facts'>;

/**
 * Enters the subscribers who pass the entry rules and returns them. Runs in the holdout end
 * immediately.
 */
export async function enterSubscribers(
  tx: Tx,
  { row, tree, settings }: RunnableWorkflow,
  { ids, depth, subject, facts }: WorkflowEntry,
  tally: Tally,
  now: Date,
): Promise<number[]> {
  const { account_id: accountId, id: workflowId } = row;
  const trigger = tree.trigger.id;
  if (depth > MAX_DEPTH) {
    tally.add(workflowId, trigger, 'too_deep', ids.length);
    return [];
  }
  const allowedIds = await filterMatching(tx, accountId, settings.entry_conditions, ids, now);
  const isHeldOut = (id: number) =>
    computeBucket(`holdout/${workflowId}`, id) < settings.holdout * 100;
  const enteredIds = await insertRuns(tx, accountId, {
    ...{ workflowId, stepId: trigger, at: now, depth, subject, facts, ids: allowedIds },
    reentryCutoff: computeReentryLimit(settings, now),
  });
  const holdouts = enteredIds.filter(isHeldOut);
  const base = { workflow_id: workflowId, subject, step_id: trigger, is_begun: true };
  const end = { wake_at: null, held_for: null, ended_at: now, outcome: 'held_out', goal_at: null };
  await saveRuns(
    tx,
    accountId,
    holdouts.map((subscriberId) => ({
      ...base,
      ...end,
      subscriber_id: subscriberId,
      newTrail: [],
    })),
  );
  if (enteredIds.length > 0) tally.add(workflowId, trigger, 'entered', enteredIds.length);
  if (holdouts.length > 0) tally.add(workflowId, trigger, 'held_out', holdouts.length);
  return enteredIds;
}

function computeReentryLimit(settings: WorkflowSettings, now: Date): Date | null {
  switch (settings.reentry) {
    case 'never':
      return null;
    case 'ended':
      return now;
    default:
      return new Date(now.getTime() - settings.reentry_days * DAY);
  }
}

/**
 * Wakes the given subscribers whose delay waits for a condition, an activity or a date field, marks
 * the goals that they reached, and enters subscribers who now belong to the trigger segment. If the
 * segment's conditions have changed, its members are determined anew, and none of them enters. No
 * subscriber enters after a change from an origin that starts no workflows (`is_quiet`).
 */
async function reevaluate(
  tx: Tx,
  workflow: RunnableWorkflow,
  reevaluations: readonly WorkflowFactRow[],
  tally: Tally,
  now: Date,
): Promise<void> {
  const { row, tree } = workflow;
  const subscriberIds = [...new Set(reevaluations.flatMap((fact) => fact.subscriber_ids))];
  await wakeWaiting(tx, row.account_id, listWaitingSteps(tree), subscriberIds, now);
  await evaluateGoal(tx, workflow, subscriberIds, tally, now);
  const conditions = await readTriggerSegment(tx, workflow);
  if (!conditions) return;
  if (!isSettled(row, conditions)) return determineInitialMembers(tx, row, conditions, now);
  const groups = Map.groupBy(reevaluations, (fact) => `${fact.is_quiet}/${fact.depth}`);
  for (const group of groups.values()) {
    const [{ is_quiet: isQuiet, depth }] = group as [WorkflowFactRow];
    const ids = [...new Set(group.flatMap((fact) => fact.subscriber_ids))];
    const matchingIds = await filterMatching(tx, row.account_id, conditions, ids, now);
    const joinedIds = await updateMembers(tx, row.account_id, row.id, ids, matchingIds);
    if (!isQuiet && joinedIds.length > 0)
      await enterSubscribers(
        tx,
        workflow,
        { ids: joinedIds, depth, subject: 0, facts: null },
        tally,
        now,
      );
  }
}

async function evaluateGoal(
  tx: Tx,
  { row, settings: { goal } }: RunnableWorkflow,
  ids: readonly number[],
  tally: Tally,
  now: Date,
): Promise<void> {
  if (!goal) return;
  const { account_id: accountId, id } = row;
  const since = new Date(now.getTime() - goal.days * DAY);
  const candidates = await excludeGoalReached(tx, accountId, id, ids, since);
  const reachedIds = await filterMatching(tx, accountId, goal.conditions, candidates, now);
  if (reachedIds.length === 0) return;
  const goalOptions = { at: now, since, endsRuns: goal.ends };
  const endedRuns = await reachGoal(tx, accountId, id, reachedIds, goalOptions);
  for (const { step_id, people } of endedRuns) tally.add(id, step_id, 'goal', people);
  await announceEnded(tx, { accountId, workflowId: id, outcome: 'goal', at: now }, endedRuns);
}
