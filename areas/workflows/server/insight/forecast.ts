// Computes what a workflow would have done in the last 30 days. The engine itself moves the
// entrants in a transaction that is rolled back. No opens or clicks are assumed.
import type { SendingOptions } from '#areas/content/server/index.ts';
import { filterMatching } from '#areas/segments/server/index.ts';
import { encodeId } from '#platform/ids.ts';
import { clock } from '#platform/server/clock.ts';
import type { Db, Tx } from '#platform/server/database/database.ts';
import type { WorkflowForecast } from '../../contract.ts';
import type { RunnableWorkflow } from '../runs/active.ts';
import { Tally } from '../runs/counts.sql.ts';
import { endDryRuns, insertDryRuns, readDryRuns } from './dry-runs.sql.ts';
import { type PastEntrants, listEntrants } from '../entering/past-entrants.ts';
import type { RunRow } from '../runs/runs.sql.ts';
import { drawPlace } from '#areas/experiments/server/index.ts';
import { loadAsActive, runAndRollBack } from './dry-run.ts';
import { Walk } from '../runs/walk.ts';

const DAY = 86_400_000;
const DAYS = 30;
/**
 * Interval of the simulated turns: a quarter of a day requires few turns and keeps every subscriber
 * on the right day.
 */
const TURN_INTERVAL_MS = DAY / 4;

export function forecast(
  db: Db,
  accountId: number,
  id: number,
  options: SendingOptions,
): Promise<WorkflowForecast> {
  return runAndRollBack(db, async (tx) => {
    const workflow = await loadAsActive(tx, accountId, id);
    const now = clock.now();
    const entered = await listEntrants(tx, workflow, new Date(now.getTime() - DAYS * DAY), now);
    const none = { entered: 0, followed: 0, here: [], ended: [], messages: [] };
    if (!entered) return { is_known: false, is_least: false, days: DAYS, ...none };
    const known = { is_known: true, is_least: entered.isLowerBound, days: DAYS };
    const people = await entrantsAllowed(tx, workflow, entered.people, now);
    const share = entered.people.length === 0 ? 0 : people.length / entered.people.length;
    const total = Math.round(entered.total * share);
    if (people.length === 0) return { ...known, ...none };
    await insertDryRuns(tx, accountId, id, workflow.tree.trigger.id, people);
    const tally = await follow(tx, workflow, people, { until: now, options });
    return { ...known, ...(await count(tx, workflow, tally, { total, people })) };
  });
}

async function entrantsAllowed(
  tx: Tx,
  { row, settings }: RunnableWorkflow,
  people: PastEntrants['people'],
  now: Date,
): Promise<PastEntrants['people']> {
  const ids = people.map((person) => person.id);
  const { entry_conditions: conditions } = settings;
  const may = new Set(await filterMatching(tx, row.account_id, conditions, ids, now));
  const isHeldOut = (id: number) => drawPlace(`holdout/${row.id}`, id) < settings.holdout * 100;
  return people.filter((person) => may.has(person.id) && !isHeldOut(person.id));
}

async function follow(
  tx: Tx,
  workflow: RunnableWorkflow,
  people: PastEntrants['people'],
  { until, options }: { until: Date; options: SendingOptions },
): Promise<Tally> {
  const { account_id: accountId, id } = workflow.row;
  const active = new Map([[id, workflow]]);
  const tally = new Tally();
  const dry = { contacts: new Map<number, Date[]>(), since: until };
  const how = { accountId, active, options, tally, dry, assumptions: [] };
  const over = people.flatMap(({ id: personId, until: at }) =>
    at ? [[personId, at] as const] : [],
  );
  const overAt = new Map(over);
  const isOver = (run: RunRow, at: Date) => {
    const end = overAt.get(run.subscriber_id);
    return end !== undefined && end <= at && (run.wake_at === null || run.wake_at >= end);
  };
  for (;;) {
    const all = await readDryRuns(tx, accountId, id);
    const [first] = all.flatMap((run) => run.wake_at?.getTime() ?? []);
    const isLast = first === undefined || first > until.getTime();
    const nextTurn = isLast
      ? until.getTime()
      : Math.floor(first / TURN_INTERVAL_MS + 1) * TURN_INTERVAL_MS;
    const now = new Date(Math.min(nextTurn, until.getTime()));
    const ended = all.filter((run) => !run.ended_at && isOver(run, now));
    const ends = ended.map((run) => ({
      id: run.subscriber_id,
      at: overAt.get(run.subscriber_id) as Date,
    }));
    if (ends.length > 0) await endDryRuns(tx, accountId, id, ends);
    if (isLast) return tally;
    const due = all.filter((run) => run.wake_at !== null && run.wake_at <= now);
    await new Walk(tx, { ...how, now }).run(due.filter((run) => !ended.includes(run)));
  }
}

async function count(
  tx: Tx,
  { row }: RunnableWorkflow,
  tally: Tally,
  { total, people }: Pick<PastEntrants, 'total' | 'people'>,
): Promise<Omit<WorkflowForecast, 'is_known' | 'is_least' | 'days'>> {
  const runs = await readDryRuns(tx, row.account_id, row.id);
  const scaled = (some: number) => Math.round((some / people.length) * total);
  const here = Map.groupBy(
    runs.filter((run) => !run.ended_at),
    (run) => run.step_id,
  );
  const ended = Map.groupBy(
    runs.filter((run) => run.ended_at),
    (run) => run.outcome ?? '',
  );
  return {
    ...{ entered: total, followed: people.length },
    here: [...here].map(([id, own]) => ({
      step_id: encodeId('step', id),
      people: scaled(own.length),
    })),
    ended: [...ended].map(([outcome, own]) => ({ outcome, people: scaled(own.length) })),
    messages: tally.all
      .filter((stepCount) => stepCount.outcome === 'sent')
      .map((stepCount) => ({
        step_id: encodeId('step', stepCount.stepId),
        people: scaled(stepCount.people),
      })),
  };
}
