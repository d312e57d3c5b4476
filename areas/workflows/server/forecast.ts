// What a workflow would have done in the last 30 days: those who would have entered are followed by the engine itself,
// in a transaction that is never committed. Nobody is taken to open or click anything.
import type { SendingOptions } from '#areas/content/server/index.ts';
import { matching } from '#areas/segments/server/index.ts';
import { encodeId } from '#platform/ids.ts';
import { clock } from '#platform/server/clock.ts';
import type { Db, Tx } from '#platform/server/database.ts';
import type { WorkflowForecast } from '../contract.ts';
import { FORECAST_SAMPLE } from '../limits.ts';
import type { ActiveWorkflow } from './active.ts';
import { Tally } from './counts.sql.ts';
import { insertDryRuns, readDryRuns } from './dry-runs.sql.ts';
import * as past from './insight.sql.ts';
import { numberOf } from './readiness.ts';
import { placeOf } from './shares.ts';
import { whoseDateCame } from './sweeps.ts';
import { asActive, inVain } from './trial.ts';
import { dataOf } from './tree.ts';
import { Walk } from './walk.ts';

const DAY = 86_400_000;
const DAYS = 30;
/** People are moved on in strides: fewer turns, and nobody's day changes. */
const STRIDE_MS = DAY / 4;

type Entered = { total: number; people: { id: number; at: Date }[] };

export function forecast(
  db: Db,
  accountId: number,
  id: number,
  options: SendingOptions,
): Promise<WorkflowForecast> {
  return inVain(db, async (tx) => {
    const workflow = await asActive(tx, accountId, id);
    const now = clock.now();
    const entered = await whoEntered(tx, workflow, new Date(now.getTime() - DAYS * DAY), now);
    const none = { days: DAYS, entered: 0, followed: 0, here: [], ended: [], messages: [] };
    if (!entered) return { is_known: false, ...none };
    const people = await whoMay(tx, workflow, entered.people, now);
    const share = entered.people.length === 0 ? 0 : people.length / entered.people.length;
    const total = Math.round(entered.total * share);
    if (people.length === 0) return { is_known: true, ...none };
    await insertDryRuns(tx, accountId, id, workflow.tree.trigger.id, people);
    const tally = await follow(tx, workflow, now, options);
    return { is_known: true, ...(await count(tx, workflow, tally, { total, people })) };
  });
}

/** Undefined: what is kept does not tell. */
async function whoEntered(
  tx: Tx,
  workflow: ActiveWorkflow,
  since: Date,
  now: Date,
): Promise<Entered | undefined> {
  const { account_id: accountId } = workflow.row;
  const data = dataOf(workflow.tree.trigger, 'trigger');
  const most = FORECAST_SAMPLE;
  switch (data.triggerType) {
    case 'LIST_ADD':
      return past.joinedSince(tx, accountId, numberOf('group', data.listId) ?? 0, since, most);
    case 'UNSUBSCRIBE':
      return past.unsubscribedSince(tx, accountId, since, most);
    case 'LINK_CLICK':
      return past.clickedSince(tx, accountId, data.url ?? '', since, most);
    case 'ORDER_PLACED':
    case 'PRODUCT_PURCHASED': {
      const [storeId, productId] = [
        numberOf('store', data.store),
        numberOf('product', data.product),
      ];
      return past.orderedSince(tx, accountId, { storeId, productId }, since, most);
    }
    case 'EVENT':
      return past.occurredSince(
        tx,
        accountId,
        numberOf('custom_event', data.event) ?? 0,
        since,
        most,
      );
    case 'DATE':
    case 'ANNIVERSARY': {
      const came = await whoseDateCame(tx, workflow, { from: since, upto: now });
      return { total: came.length, people: came.slice(0, most) };
    }
    default:
      return undefined;
  }
}

async function whoMay(
  tx: Tx,
  { row, settings }: ActiveWorkflow,
  people: Entered['people'],
  now: Date,
): Promise<Entered['people']> {
  const ids = people.map((one) => one.id);
  const conditions = settings.entry_conditions as never;
  const may = new Set(await matching(tx, row.account_id, conditions, ids, now));
  const isHeld = (id: number) => placeOf(`holdout/${row.id}`, id) < settings.holdout * 100;
  return people.filter((one) => may.has(one.id) && !isHeld(one.id));
}

async function follow(
  tx: Tx,
  workflow: ActiveWorkflow,
  until: Date,
  options: SendingOptions,
): Promise<Tally> {
  const { account_id: accountId, id } = workflow.row;
  const active = new Map([[id, workflow]]);
  const tally = new Tally();
  const dry = { contacts: new Map<number, Date[]>(), since: until };
  const how = { accountId, active, options, tally, dry, assumptions: [] };
  for (;;) {
    const runs = await readDryRuns(tx, accountId, id);
    const [first] = runs.flatMap((run) => run.wake_at?.getTime() ?? []);
    if (first === undefined || first > until.getTime()) return tally;
    const stride = Math.floor(first / STRIDE_MS + 1) * STRIDE_MS;
    const now = new Date(Math.min(stride, until.getTime()));
    await new Walk(tx, { ...how, now }).go(
      runs.filter((run) => run.wake_at !== null && run.wake_at <= now),
    );
  }
}

async function count(
  tx: Tx,
  { row }: ActiveWorkflow,
  tally: Tally,
  { total, people }: Entered,
): Promise<Omit<WorkflowForecast, 'is_known'>> {
  const runs = await readDryRuns(tx, row.account_id, row.id);
  const all = (some: number) => Math.round((some / people.length) * total);
  const here = Map.groupBy(
    runs.filter((run) => !run.ended_at),
    (run) => run.step_id,
  );
  const ended = Map.groupBy(
    runs.filter((run) => run.ended_at),
    (run) => run.outcome ?? '',
  );
  return {
    ...{ days: DAYS, entered: total, followed: people.length },
    here: [...here].map(([id, own]) => ({
      step_id: encodeId('step', id),
      people: all(own.length),
    })),
    ended: [...ended].map(([outcome, own]) => ({ outcome, people: all(own.length) })),
    messages: tally.all
      .filter((one) => one.outcome === 'sent')
      .map((one) => ({ step_id: encodeId('step', one.stepId), people: all(one.people) })),
  };
}
