// Periodic checks for changes without an event: dates that become due, and conditions that depend
// on time.
import { readAccount } from '#areas/accounts/server/index.ts';
import { compileAnyOf } from '#areas/segments/server/index.ts';
import type { Reader, Tx } from '#platform/server/database/database.ts';
import { type ActiveWorkflows, type RunnableWorkflow, getZone } from '../runs/active.ts';
import type { Tally } from '../runs/counts.sql.ts';
import { listDaysWithin, findDueMoment } from '../steps/dates.ts';
import { enterSubscribers } from './entering.ts';
import { listSubscribersOnDays, sweepMembers } from './members.sql.ts';
import { decodeOptionalId } from '../steps/readiness.ts';
import { isSettled, readTriggerSegment, determineInitialMembers } from './segment-members.ts';
import { getStepData } from '../steps/tree.ts';
import { updateWorkflow } from '../workflows.sql.ts';

const MINUTE = 60_000;
/** Intervals of the checks. Offsets of time zones are multiples of a quarter of an hour. */
const EVERY_MS = { dates: 15 * MINUTE, segments: 60 * MINUTE };

function getRhythm({ tree }: RunnableWorkflow): keyof typeof EVERY_MS | undefined {
  const { triggerType } = getStepData(tree.trigger, 'trigger');
  if (triggerType === 'DATE' || triggerType === 'ANNIVERSARY') return 'dates';
  return triggerType === 'SEGMENT_ENTER' ? 'segments' : undefined;
}

/**
 * Computes the next check of a workflow: at the first quarter of an hour, or whole hour, after the
 * last check.
 */
function computeNextSweep(workflow: RunnableWorkflow): Date | undefined {
  const rhythm = getRhythm(workflow);
  const { swept_at: sweptAt } = workflow.row;
  if (!rhythm || !sweptAt) return undefined;
  const intervalMs = EVERY_MS[rhythm];
  return new Date((Math.floor(sweptAt.getTime() / intervalMs) + 1) * intervalMs);
}

/** Returns the next check across all workflows. */
export function findNextSweep(active: ActiveWorkflows): Date | null {
  const sweepTimes = [...active.values()].flatMap(
    (activeWorkflow) => computeNextSweep(activeWorkflow)?.getTime() ?? [],
  );
  return sweepTimes.length > 0 ? new Date(Math.min(...sweepTimes)) : null;
}

/** Runs the checks that are due. */
export async function sweepWorkflows(
  tx: Tx,
  active: ActiveWorkflows,
  tally: Tally,
  now: Date,
): Promise<void> {
  for (const workflow of active.values()) {
    const dueAt = computeNextSweep(workflow);
    if (!dueAt || dueAt > now) continue;
    if (getRhythm(workflow) === 'dates') await sweepDates(tx, workflow, tally, now);
    else await sweepSegment(tx, workflow, tally, now);
    workflow.row.swept_at = now;
    await updateWorkflow(tx, workflow.row.account_id, workflow.row.id, { swept_at: now });
  }
}

async function sweepDates(
  tx: Tx,
  workflow: RunnableWorkflow,
  tally: Tally,
  now: Date,
): Promise<void> {
  const sweptAt = workflow.row.swept_at as Date;
  const dates = await findDueDates(tx, workflow, { from: sweptAt, until: now });
  const days = Map.groupBy(dates, (date) => date.day);
  for (const [day, subscribers] of [...days].sort(([dayA], [dayB]) => dayA - dayB)) {
    const entry = {
      ids: subscribers.map((subscriber) => subscriber.id),
      depth: 0,
      subject: day,
      facts: null,
    };
    await enterSubscribers(tx, workflow, entry, tally, now);
  }
}

export async function findDueDates(
  db: Reader,
  { row, tree }: Pick<RunnableWorkflow, 'row' | 'tree'>,
  window: { from: Date; until: Date },
): Promise<{ id: number; at: Date; day: number }[]> {
  const trigger = getStepData(tree.trigger, 'trigger') as Parameters<typeof findDueMoment>[0];
  const fieldId = decodeOptionalId('field', trigger.field) ?? 0;
  const days = listDaysWithin(trigger, window.from, window.until);
  const dayFilter = trigger.triggerType === 'DATE' ? { fullDates: days } : { monthDays: days };
  const { timezone } = await readAccount(db, row.account_id);
  const subscribers = await listSubscribersOnDays(db, row.account_id, fieldId, dayFilter);
  return subscribers.flatMap((subscriber) => {
    const moment = findDueMoment(trigger, subscriber.value, getZone(subscriber, timezone), window);
    return moment ? [{ id: subscriber.id, ...moment }] : [];
  });
}

async function sweepSegment(
  tx: Tx,
  workflow: RunnableWorkflow,
  tally: Tally,
  now: Date,
): Promise<void> {
  const conditions = await readTriggerSegment(tx, workflow);
  if (!conditions) return;
  const { account_id: accountId, id } = workflow.row;
  if (!isSettled(workflow.row, conditions))
    return determineInitialMembers(tx, workflow.row, conditions, now);
  const predicate = await compileAnyOf(tx, accountId, [conditions], {
    now,
    matchesAllIfUnknown: false,
  });
  const joinedIds = predicate ? await sweepMembers(tx, accountId, id, predicate) : [];
  if (joinedIds.length > 0)
    await enterSubscribers(
      tx,
      workflow,
      { ids: joinedIds, depth: 0, subject: 0, facts: null },
      tally,
      now,
    );
}
