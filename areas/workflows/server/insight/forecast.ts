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
import { computeBucket } from '#areas/experiments/server/index.ts';
import { loadAsActive, runAndRollBack } from './dry-run.ts';
import { Walk } from '../runs/walk.ts';

const DAY = 86_400_000;
const DAYS = 30;
/**
 * Interval of the simulated turns: a quarter of a day requires few turns and keeps every subscriber
 * on the right day.
 */
const TURN_INTERVAL_MS = DAY / 4;

export function forecastWorkflow(
  db: Db,
  accountId: number,
  id: number,
  options: SendingOptions,
): Promise<WorkflowForecast> {
  return runAndRollBack(db, async (tx) => {
    const workflow = await loadAsActive(tx, accountId, id);
    const now = clock.now();
    const pastEntrants = await listEntrants(
      tx,
      workflow,
      new Date(now.getTime() - DAYS * DAY),
      now,
    );
    const emptyForecast = { entered: 0, followed: 0, here: [], ended: [], messages: [] };
    if (!pastEntrants) return { is_known: false, is_least: false, days: DAYS, ...emptyForecast };
    const base = { is_known: true, is_least: pastEntrants.isLowerBound, days: DAYS };
    const entrants = await filterAllowed(tx, workflow, pastEntrants.sample, now);
    const ratio =
      pastEntrants.sample.length === 0 ? 0 : entrants.length / pastEntrants.sample.length;
    const total = Math.round(pastEntrants.total * ratio);
    if (entrants.length === 0) return { ...base, ...emptyForecast };
    await insertDryRuns(tx, accountId, id, workflow.tree.trigger.id, entrants);
    const tally = await follow(tx, workflow, entrants, { until: now, options });
    return { ...base, ...(await count(tx, workflow, tally, { total, sample: entrants })) };
  });
}

async function filterAllowed(
  tx: Tx,
  { row, settings }: RunnableWorkflow,
  entrants: PastEntrants['sample'],
  now: Date,
): Promise<PastEntrants['sample']> {
  const ids = entrants.map((entrant) => entrant.id);
  const { entry_conditions: conditions } = settings;
  const allowedIds = new Set(await filterMatching(tx, row.account_id, conditions, ids, now));
  const isHeldOut = (id: number) => computeBucket(`holdout/${row.id}`, id) < settings.holdout * 100;
  return entrants.filter((entrant) => allowedIds.has(entrant.id) && !isHeldOut(entrant.id));
}

async function follow(
  tx: Tx,
  workflow: RunnableWorkflow,
  entrants: PastEntrants['sample'],
  { until, options }: { until: Date; options: SendingOptions },
): Promise<Tally> {
  const { account_id: accountId, id } = workflow.row;
  const activeWorkflows = new Map([[id, workflow]]);
  const tally = new Tally();
  const dryRun = { handoffTimes: new Map<number, Date[]>(), since: until };
  const walkOptions = { accountId, activeWorkflows, options, tally, dryRun, assumptions: [] };
  const endings = entrants.flatMap(({ id: personId, until: at }) =>
    at ? [[personId, at] as const] : [],
  );
  const endById = new Map(endings);
  const isOver = (run: RunRow, at: Date) => {
    const end = endById.get(run.subscriber_id);
    return end !== undefined && end <= at && (run.wake_at === null || run.wake_at >= end);
  };
  for (;;) {
    const runs = await readDryRuns(tx, accountId, id);
    const [first] = runs.flatMap((run) => run.wake_at?.getTime() ?? []);
    const isLast = first === undefined || first > until.getTime();
    const nextTurn = isLast
      ? until.getTime()
      : Math.floor(first / TURN_INTERVAL_MS + 1) * TURN_INTERVAL_MS;
    const now = new Date(Math.min(nextTurn, until.getTime()));
    const endedRuns = runs.filter((run) => !run.ended_at && isOver(run, now));
    const runEnds = endedRuns.map((run) => ({
      id: run.subscriber_id,
      at: endById.get(run.subscriber_id) as Date,
    }));
    if (runEnds.length > 0) await endDryRuns(tx, accountId, id, runEnds);
    if (isLast) return tally;
    const dueRuns = runs.filter((run) => run.wake_at !== null && run.wake_at <= now);
    await new Walk(tx, { ...walkOptions, now }).run(
      dueRuns.filter((run) => !endedRuns.includes(run)),
    );
  }
}

async function count(
  tx: Tx,
  { row }: RunnableWorkflow,
  tally: Tally,
  { total, sample: entrants }: Pick<PastEntrants, 'total' | 'sample'>,
): Promise<Omit<WorkflowForecast, 'is_known' | 'is_least' | 'days'>> {
  const runs = await readDryRuns(tx, row.account_id, row.id);
  const scaleCount = (sampleCount: number) => Math.round((sampleCount / entrants.length) * total);
  const runsByStep = Map.groupBy(
    runs.filter((run) => !run.ended_at),
    (run) => run.step_id,
  );
  const runsByOutcome = Map.groupBy(
    runs.filter((run) => run.ended_at),
    (run) => run.outcome ?? '',
  );
  return {
    ...{ entered: total, followed: entrants.length },
    here: [...runsByStep].map(([id, groupRuns]) => ({
      step_id: encodeId('step', id),
      people: scaleCount(groupRuns.length),
    })),
    ended: [...runsByOutcome].map(([outcome, groupRuns]) => ({
      outcome,
      people: scaleCount(groupRuns.length),
    })),
    messages: tally.all
      .filter((stepCount) => stepCount.outcome === 'sent')
      .map((stepCount) => ({
        step_id: encodeId('step', stepCount.stepId),
        people: scaleCount(stepCount.people),
      })),
  };
}
