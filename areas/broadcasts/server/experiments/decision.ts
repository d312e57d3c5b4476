// Decides an experiment and starts the message of the remaining recipients in the same transaction.
// A decision locks the broadcast's row and then the experiment's, so it is made once.
import { readAccount } from '#areas/accounts/server/index.ts';
import { type LeadId, toMessageId } from '#areas/delivery/lead-id.ts';
import { readDelivery, startRemainingMessage } from '#areas/delivery/server/ledger/index.ts';
import { clock } from '#platform/server/clock.ts';
import type { Reader, Tx } from '#platform/server/database/database.ts';
import { AppError, invalid, notFound } from '#platform/server/errors.ts';
import type { Actor } from '#platform/server/http/serve.ts';
import { sendChangeHint } from '#platform/server/live/live.ts';
import { toWallTime } from '#platform/server/zoned-time.ts';
import { wallTimeToInstant } from '../../wall-time.ts';
import type { ExperimentMetric, ExperimentOutcome } from '../../shared.ts';
import { lockBroadcast } from '../broadcasts.ts';
import { experimentDecided, experimentWaits } from '../events.ts';
import type { AnyVariant, BroadcastAdapter, BroadcastRow } from '../adapter.ts';
import {
  getAge,
  type ExperimentEvidence,
  evaluateEarly,
  evaluateFinal,
  toTestedVariants,
} from './evidence.ts';
import { withWaves } from '../timing/timing.ts';
import * as store from './experiments.sql.ts';
import { computeExperimentRanges, getRemainingShare } from './schedule.ts';
import type { ExperimentRow } from './rows.ts';

export type LockedExperiment<Row> = {
  row: Row;
  experiment: ExperimentRow;
  variants: readonly AnyVariant[];
};

export type ExperimentDecision = {
  outcome: ExperimentOutcome;
  winner: number | null;
  /** The variant that the remaining recipients receive. */
  sentVariant: number;
  decidedBy: number | null;
  evidence: ExperimentEvidence | null;
};

const MINUTE_MS = 60_000;
const DAY_MS = 86_400_000;
const NO_AUDIENCE = { all: false, groups: [], excluded: [] };
const RUNNING: readonly string[] = ['testing', 'waiting', 'failed'];

/** Returns whether recipients still wait for the decision. */
export async function isRestDue<Row extends BroadcastRow>(
  db: Reader,
  adapter: Pick<BroadcastAdapter<Row>, 'tables'>,
  row: Row,
): Promise<boolean> {
  const { account_id: accountId, id } = row;
  const [experiment] = await store.findExperiments(db, adapter.tables, accountId, [id]);
  return experiment !== undefined && hasRestDue(experiment);
}

export const hasRestDue = (experiment: ExperimentRow): boolean =>
  RUNNING.includes(experiment.state) && getRemainingShare(experiment) > 0;

/** Ends a running experiment without a decision, because a user canceled the broadcast. */
export async function cancelExperiment<Row extends BroadcastRow>(
  tx: Tx,
  { tables }: BroadcastAdapter<Row>,
  { account_id: accountId, id }: Row,
): Promise<void> {
  const experiment = await store.lockExperiment(tx, tables, accountId, id);
  if (!experiment || !RUNNING.includes(experiment.state)) return;
  const endedColumns = { state: 'cancelled', reason: null, next_look_at: null } as const;
  await store.updateExperiment(tx, tables, accountId, id, endedColumns);
}

/** Resets the experiment of a broadcast that is a draft again, because nothing was handed off. */
export async function returnToDraft<Row extends BroadcastRow>(
  tx: Tx,
  { tables }: BroadcastAdapter<Row>,
  { account_id: accountId, id }: Row,
): Promise<void> {
  await store.updateExperiment(tx, tables, accountId, id, { ...store.UNDECIDED, state: 'draft' });
  await store.detachMessages(tx, tables, accountId, id);
}

/**
 * Records the decision and starts the message to the remaining recipients if there are any. The
 * caller has locked both rows.
 */
export async function applyDecision<Row extends BroadcastRow>(
  tx: Tx,
  adapter: BroadcastAdapter<Row>,
  { row, experiment, variants }: LockedExperiment<Row>,
  decision: ExperimentDecision,
): Promise<void> {
  const { account_id: accountId, id, message_id: lead } = row;
  const at = clock.now();
  const hasRest = getRemainingShare(experiment) > 0;
  let restId: number | null = null;
  const variant = variants.find(({ number }) => number === decision.sentVariant);
  if (hasRest && variant && lead !== null) {
    const { rest: range } = computeExperimentRanges(experiment, variants.length);
    const message = await adapter.buildMessage(tx, adapter.withVariant(row, variant));
    const { waves } = await withWaves(tx, adapter, row, NO_AUDIENCE);
    const opensAt = await startOfRest(tx, row, variants, variant);
    restId = (await startRemainingMessage(tx, { lead, message, range, waves, opensAt })).messageId;
  }
  await store.updateExperiment(tx, adapter.tables, accountId, id, {
    ...{ state: 'decided', reason: null, next_look_at: null, failing_since: null },
    ...toColumns(decision, hasRest, at),
    rest_message_id: restId,
  });
  sendChangeHint(tx, accountId, adapter.idKind, id);
  await experimentDecided.announce(tx, {
    ...{ accountId, kind: adapter.messageKind, campaignId: id, at },
  });
}

/**
 * Returns when the remaining recipients get the chosen variant: at its time of day if the variants
 * differ in send time, otherwise immediately (undefined).
 */
async function startOfRest<Row extends BroadcastRow>(
  tx: Tx,
  row: Row,
  variants: readonly AnyVariant[],
  { delay_minutes: delay }: AnyVariant,
): Promise<Date | undefined> {
  if (!variants.some((variant) => (variant.delay_minutes ?? 0) > 0)) return undefined;
  const [lead] = await readDelivery(tx, row.account_id, [toMessageId(row.message_id as LeadId)]);
  const { timezone } = await readAccount(tx, row.account_id);
  const startedAt = lead?.startedAt ?? clock.now();
  const sentAt = new Date(startedAt.getTime() + (delay ?? 0) * MINUTE_MS);
  const zone = row.schedule_zone ?? timezone;
  const now = clock.now();
  const time = toWallTime(sentAt, zone).slice(11);
  for (const day of [now, new Date(now.getTime() + DAY_MS)]) {
    const at = wallTimeToInstant(`${toWallTime(day, zone).slice(0, 10)} ${time}`, zone);
    if (at && at >= now) return at;
  }
  return undefined;
}

/** Announces that the remaining recipients wait for a user's choice. */
export async function notifyOwner<Row extends BroadcastRow>(
  tx: Tx,
  adapter: Pick<BroadcastAdapter<Row>, 'messageKind' | 'getName'>,
  row: Row,
): Promise<void> {
  await experimentWaits.announce(tx, {
    ...{ accountId: row.account_id, kind: adapter.messageKind, campaignId: row.id },
    ...{ name: adapter.getName(row), at: clock.now() },
  });
}

/** Records that the message to the remaining recipients could not start; a user has to retry. */
export async function failDecision<Row extends BroadcastRow>(
  tx: Tx,
  adapter: BroadcastAdapter<Row>,
  { row, experiment }: LockedExperiment<Row>,
  decision: ExperimentDecision,
  reason: string,
): Promise<void> {
  const { account_id: accountId, id } = row;
  const at = clock.now();
  await store.updateExperiment(tx, adapter.tables, accountId, id, {
    ...{ state: 'failed', reason, next_look_at: null, failing_since: null },
    ...toColumns(decision, getRemainingShare(experiment) > 0, at),
  });
  sendChangeHint(tx, accountId, adapter.idKind, id);
  await notifyOwner(tx, adapter, row);
}

const toColumns = (
  { outcome, winner, sentVariant, decidedBy, evidence }: ExperimentDecision,
  hasRest: boolean,
  at: Date,
) => ({
  ...{
    outcome,
    winner,
    chosen: hasRest ? sentVariant : null,
    decided_by: decidedBy,
    decided_at: at,
  },
  evidence: evidence === null ? null : JSON.stringify(evidence),
});

/** Locks and returns a broadcast and its experiment, or undefined if it has none. */
export async function lockExperiment<Row extends BroadcastRow>(
  tx: Tx,
  adapter: BroadcastAdapter<Row>,
  accountId: number,
  id: number,
): Promise<LockedExperiment<Row> | undefined> {
  const row = await lockBroadcast<Row>(tx, adapter, accountId, id);
  const experiment = await store.lockExperiment(tx, adapter.tables, accountId, id);
  if (!experiment) return undefined;
  const variants = await store.findVariants<AnyVariant>(tx, adapter.tables, accountId, [id]);
  return { row, experiment, variants };
}

/**
 * Applies a user's choice of the variant that the remaining recipients get. Users may choose at any
 * time after the start.
 */
export async function decideManually<Row extends BroadcastRow>(
  tx: Tx,
  adapter: BroadcastAdapter<Row>,
  caller: Actor,
  id: number,
  number: number,
): Promise<void> {
  const lockedExperiment = await lockExperiment<Row>(tx, adapter, caller.accountId, id);
  if (!lockedExperiment) throw notFound();
  const { experiment, variants } = lockedExperiment;
  if (!variants.some((variant) => variant.number === number)) {
    throw invalid({ variant: ['errors.fields.choice'] });
  }
  if (experiment.state === 'decided') {
    if (experiment.chosen === number) return;
    throw new AppError('experiment_decided');
  }
  const { state, outcome, evidence } = experiment;
  if (!RUNNING.includes(state) || getRemainingShare(experiment) === 0) {
    throw new AppError('experiment_not_running');
  }
  // A retried automatic decision is still recorded as automatic.
  const isRetry = state === 'failed' && experiment.chosen === number && outcome !== null;
  const retriedDecision = {
    outcome: outcome as ExperimentOutcome,
    winner: experiment.winner,
    decidedBy: experiment.decided_by,
    evidence: evidence as ExperimentEvidence | null,
  };
  const byHand = {
    ...{ outcome: 'manual' as const, winner: number, decidedBy: caller.userId },
    evidence: await presentEvidence(tx, lockedExperiment, clock.now()),
  };
  await applyDecision(tx, adapter, lockedExperiment, {
    sentVariant: number,
    ...(isRetry ? retriedDecision : byHand),
  });
}

/**
 * Returns the evidence of a running test as of `now`; null until every copy of the test had its
 * first attempt.
 */
async function presentEvidence<Row extends BroadcastRow>(
  tx: Tx,
  { row, experiment, variants }: LockedExperiment<Row>,
  now: Date,
): Promise<ExperimentEvidence | null> {
  const { tested_at: testedAt } = experiment;
  if (testedAt === null) return null;
  const testedVariants = toTestedVariants(variants, testedAt);
  const metric = experiment.metric as ExperimentMetric;
  const age = getAge(now, testedVariants);
  const { evidence } =
    metric === 'revenue'
      ? await evaluateFinal(tx, row.account_id, experiment, testedVariants, now)
      : await evaluateEarly(tx, row.account_id, metric, testedVariants, age);
  return evidence;
}
