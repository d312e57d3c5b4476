// Periodic checks for changes without an event: dates that become due, and conditions that depend
// on time.
import { readAccount } from '#areas/accounts/server/index.ts';
import { compileAnyOf } from '#areas/segments/server/index.ts';
import type { Reader, Tx } from '#platform/server/database/database.ts';
import { type ActiveWorkflows, type RunnableWorkflow, zoneOf } from '../runs/active.ts';
import type { Tally } from '../runs/counts.sql.ts';
import { daysWithin, findDueMoment } from '../steps/dates.ts';
import { enter } from './entering.ts';
import { subscribersOnDays, sweepMembers } from './members.sql.ts';
import { decodeOptionalId } from '../steps/readiness.ts';
import { isSettled, readTriggerSegment, settleMembers } from './segment-members.ts';
import { dataOf } from '../steps/tree.ts';
import { updateWorkflow } from '../workflows.sql.ts';

const MINUTE = 60_000;
/** Intervals of the checks. Offsets of time zones are multiples of a quarter of an hour. */
const EVERY_MS = { dates: 15 * MINUTE, segments: 60 * MINUTE };

function rhythmOf({ tree }: RunnableWorkflow): keyof typeof EVERY_MS | undefined {
  const { triggerType } = dataOf(tree.trigger, 'trigger');
  if (triggerType === 'DATE' || triggerType === 'ANNIVERSARY') return 'dates';
  return triggerType === 'SEGMENT_ENTER' ? 'segments' : undefined;
}

/** Next check of a workflow: the quarter of an hour, or the whole hour, that follows the last. */
function nextSweep(workflow: RunnableWorkflow): Date | undefined {
  const rhythm = rhythmOf(workflow);
  const { swept_at: sweptAt } = workflow.row;
  if (!rhythm || !sweptAt) return undefined;
  const every = EVERY_MS[rhythm];
  return new Date((Math.floor(sweptAt.getTime() / every) + 1) * every);
}

/** Next check over all workflows. */
export function nextSweepOf(active: ActiveWorkflows): Date | null {
  const all = [...active.values()].flatMap(
    (activeWorkflow) => nextSweep(activeWorkflow)?.getTime() ?? [],
  );
  return all.length > 0 ? new Date(Math.min(...all)) : null;
}

/** Runs the checks that are due. */
export async function sweep(
  tx: Tx,
  active: ActiveWorkflows,
  tally: Tally,
  now: Date,
): Promise<void> {
  for (const workflow of active.values()) {
    const due = nextSweep(workflow);
    if (!due || due > now) continue;
    if (rhythmOf(workflow) === 'dates') await sweepDates(tx, workflow, tally, now);
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
  const from = workflow.row.swept_at as Date;
  const dates = await findDueDates(tx, workflow, { from, until: now });
  const days = Map.groupBy(dates, (date) => date.day);
  for (const [day, people] of [...days].sort(([dayA], [dayB]) => dayA - dayB)) {
    const entry = { ids: people.map((person) => person.id), depth: 0, subject: day, facts: null };
    await enter(tx, workflow, entry, tally, now);
  }
}

export async function findDueDates(
  db: Reader,
  { row, tree }: Pick<RunnableWorkflow, 'row' | 'tree'>,
  window: { from: Date; until: Date },
): Promise<{ id: number; at: Date; day: number }[]> {
  const trigger = dataOf(tree.trigger, 'trigger') as Parameters<typeof findDueMoment>[0];
  const fieldId = decodeOptionalId('field', trigger.field) ?? 0;
  const days = daysWithin(trigger, window.from, window.until);
  const dayFilter = trigger.triggerType === 'DATE' ? { whole: days } : { yearly: days };
  const { timezone } = await readAccount(db, row.account_id);
  const people = await subscribersOnDays(db, row.account_id, fieldId, dayFilter);
  return people.flatMap((person) => {
    const moment = findDueMoment(trigger, person.value, zoneOf(person, timezone), window);
    return moment ? [{ id: person.id, ...moment }] : [];
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
  if (!isSettled(workflow.row, conditions)) return settleMembers(tx, workflow.row, conditions, now);
  const where = await compileAnyOf(tx, accountId, [conditions], { now, ifUnknown: false });
  const joined = where ? await sweepMembers(tx, accountId, id, where) : [];
  if (joined.length > 0)
    await enter(tx, workflow, { ids: joined, depth: 0, subject: 0, facts: null }, tally, now);
}
