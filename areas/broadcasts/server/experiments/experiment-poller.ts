// Checks running experiments: first, whether every copy of the variants had its first attempt;
// then, every five minutes, whether a variant wins early. At the end of the duration, decides.
import { findFirstAttempts, readDelivery } from '#areas/delivery/server/ledger/index.ts';
import { clock } from '#platform/server/clock.ts';
import {
  type Db,
  inTransaction,
  isConnectionLost,
  isRetriable,
  type Tx,
} from '#platform/server/database/database.ts';
import { sendChangeHint } from '#platform/server/live/live.ts';
import { log } from '#platform/server/log.ts';
import type { Poller } from '#platform/server/jobs/pollers.ts';
import { LATE_MS, type ExperimentMetric } from '../../shared.ts';
import { processAccounts } from '../each-account.ts';
import type { BroadcastAdapter, BroadcastRow } from '../adapter.ts';
import {
  applyDecision,
  type ExperimentDecision,
  type LockedExperiment,
  failDecision,
  lockExperiment,
  notifyOwner,
} from './decision.ts';
import {
  getAge,
  evaluateEarly,
  evaluateFinal,
  type TestedVariant,
  toTestedVariants,
} from './evidence.ts';
import * as store from './experiments.sql.ts';
import {
  READINESS_CHECK_MS,
  getDecisionTime,
  EARLY_CHECK_MS,
  getRemainingShare,
} from './schedule.ts';

/** Runs in the elected worker. */
export function createExperimentPoller<Row extends BroadcastRow>(
  adapter: BroadcastAdapter<Row>,
): Poller {
  return {
    name: `${adapter.area}.experiments`,
    intervalMs: 5_000,
    run: async (db) => {
      await checkDue(db, adapter);
    },
  };
}

/** Returns the number of checks. */
export async function checkDue<Row extends BroadcastRow>(
  db: Db,
  adapter: BroadcastAdapter<Row>,
): Promise<number> {
  const now = clock.now();
  const accounts = await store.listAccountsWithDueChecks(db, adapter.tables, now);
  return processAccounts(accounts, (accountId) => checkNext(db, adapter, accountId, now));
}

async function checkNext<Row extends BroadcastRow>(
  db: Db,
  adapter: BroadcastAdapter<Row>,
  accountId: number,
  now: Date,
): Promise<boolean> {
  const id = await store.findDueCheck(db, adapter.tables, accountId, now, []);
  if (id === undefined) return false;
  let decision: ExperimentDecision | undefined;
  try {
    await inTransaction(db, async (tx) => {
      const lockedExperiment = await lockExperiment<Row>(tx, adapter, accountId, id);
      if (!lockedExperiment || !isDue(lockedExperiment, now)) return;
      decision = await checkNow(tx, adapter, lockedExperiment, now);
      if (decision) await applyDecision(tx, adapter, lockedExperiment, decision);
    });
  } catch (error) {
    if (isRetriable(error) || isConnectionLost(error)) throw error;
    await recheckAfterFailure(db, adapter, { accountId, id, decision, now }, error);
  }
  return true;
}

const isDue = (
  { experiment: { state, next_look_at: at } }: LockedExperiment<BroadcastRow>,
  now: Date,
) => state === 'testing' && at !== null && at <= now;

/**
 * Gives up on a decision that fails for a reason that users can resolve; any other failed decision
 * is retried for an hour. A check that fails before a decision is retried without a limit.
 */
async function recheckAfterFailure<Row extends BroadcastRow>(
  db: Db,
  adapter: BroadcastAdapter<Row>,
  failure: { accountId: number; id: number; decision: ExperimentDecision | undefined; now: Date },
  error: unknown,
): Promise<void> {
  const { accountId, id, decision, now } = failure;
  const reason = adapter.getErrorCode(error);
  const logFields = { account: accountId, [adapter.idKind]: id, error: error as Error };
  if (reason === undefined) log.error('Could not evaluate an experiment; retrying', logFields);
  else log.warn('Could not send an experiment to the remaining recipients', logFields);
  await inTransaction(db, async (tx) => {
    const lockedExperiment = await lockExperiment<Row>(tx, adapter, accountId, id);
    if (!lockedExperiment || !isDue(lockedExperiment, now)) return;
    const failingSince = lockedExperiment.experiment.failing_since ?? now;
    const isOver = reason !== undefined || now.getTime() - failingSince.getTime() >= LATE_MS;
    if (isOver && decision) {
      await failDecision(tx, adapter, lockedExperiment, decision, reason ?? 'server_error');
      return;
    }
    const next_look_at = new Date(now.getTime() + READINESS_CHECK_MS);
    await store.updateExperiment(tx, adapter.tables, accountId, id, {
      next_look_at,
      failing_since: failingSince,
    });
  });
}

/** Checks the experiment once and plans the next check unless this one leads to a decision. */
async function checkNow<Row extends BroadcastRow>(
  tx: Tx,
  adapter: BroadcastAdapter<Row>,
  lockedExperiment: LockedExperiment<Row>,
  now: Date,
): Promise<ExperimentDecision | undefined> {
  const { account_id: accountId, id } = lockedExperiment.row;
  const scheduleCheck = async (ms: number) => {
    const next_look_at = new Date(now.getTime() + ms);
    await store.updateExperiment(tx, adapter.tables, accountId, id, { next_look_at });
    return undefined;
  };
  const ready = await listTestedVariants(tx, adapter, lockedExperiment, now);
  if (!ready) return scheduleCheck(READINESS_CHECK_MS);
  const { testedVariants, testedAt } = ready;
  const end = getDecisionTime({ ...lockedExperiment.experiment, tested_at: testedAt }) ?? now;
  if (now >= end) return atEnd(tx, adapter, lockedExperiment, { testedVariants, end, now });
  const earlyResult = await decideEarly(tx, lockedExperiment, testedVariants, now);
  return earlyResult ?? scheduleCheck(Math.min(EARLY_CHECK_MS, end.getTime() - now.getTime()));
}

/**
 * Returns undefined while a message is paused, and until all recipients are known and every copy
 * had its first attempt.
 */
async function listTestedVariants<Row extends BroadcastRow>(
  tx: Tx,
  adapter: BroadcastAdapter<Row>,
  { row, experiment, variants }: LockedExperiment<Row>,
  now: Date,
): Promise<{ testedVariants: TestedVariant[]; testedAt: Date } | undefined> {
  const { account_id: accountId, id } = row;
  const ids = variants.flatMap(({ message_id: messageId }) => messageId ?? []);
  const deliveries = await readDelivery(tx, accountId, ids);
  const isStopped = deliveries.some(
    ({ state, isInstancePaused }) => state === 'paused' || isInstancePaused,
  );
  if (isStopped) return undefined;
  const { tested_at: before } = experiment;
  if (before !== null)
    return { testedVariants: toTestedVariants(variants, before), testedAt: before };
  const isLeaving = deliveries.some(
    ({ isAudienceDone, counts }) => !isAudienceDone || counts.pending + counts.handing_over > 0,
  );
  if (isLeaving) return undefined;
  const attempts = await findFirstAttempts(tx, accountId, ids);
  const lastAttempts = attempts.map((attempt) => attempt.last.getTime());
  const testedAt = lastAttempts.length > 0 ? new Date(Math.max(...lastAttempts)) : now;
  const testedVariants: TestedVariant[] = [];
  for (const { id: variantId, number, message_id: messageId } of variants) {
    if (messageId === null) continue;
    const mean = attempts.find((attempt) => attempt.messageId === messageId)?.mean ?? testedAt;
    await store.updateVariant(tx, adapter.tables, accountId, variantId, { mean_handed_at: mean });
    testedVariants.push({ number, messageId, mean });
  }
  await store.updateExperiment(tx, adapter.tables, accountId, id, { tested_at: testedAt });
  sendChangeHint(tx, accountId, adapter.idKind, id);
  return { testedVariants, testedAt };
}

/**
 * Decides the experiment early if the evidence suffices. Experiments about send times or revenue,
 * and experiments that users decide, are never decided early.
 */
async function decideEarly<Row extends BroadcastRow>(
  tx: Tx,
  { row, experiment, variants }: LockedExperiment<Row>,
  testedVariants: readonly TestedVariant[],
  now: Date,
): Promise<ExperimentDecision | undefined> {
  const metric = experiment.metric as ExperimentMetric;
  const hasDelays = variants.some(({ delay_minutes: delay }) => (delay ?? 0) > 0);
  if (!experiment.is_automatic || metric === 'revenue' || hasDelays) return undefined;
  const age = getAge(now, testedVariants);
  if (age <= 0) return undefined;
  const { winner, evidence } = await evaluateEarly(tx, row.account_id, metric, testedVariants, age);
  if (winner === undefined) return undefined;
  return { outcome: 'early', winner, sentVariant: winner, decidedBy: null, evidence };
}

async function atEnd<Row extends BroadcastRow>(
  tx: Tx,
  adapter: BroadcastAdapter<Row>,
  { row, experiment }: LockedExperiment<Row>,
  { testedVariants, end, now }: { testedVariants: readonly TestedVariant[]; end: Date; now: Date },
): Promise<ExperimentDecision | undefined> {
  const hasRest = getRemainingShare(experiment) > 0;
  // A failed start is retried with the same decision.
  const isLate = experiment.failing_since === null && now.getTime() - end.getTime() >= LATE_MS;
  if (hasRest && (isLate || !experiment.is_automatic)) {
    await waitForOwner(tx, adapter, row, isLate ? 'late' : 'manual');
    return undefined;
  }
  const { account_id: accountId } = row;
  const { winner, leader, evidence } = await evaluateFinal(
    tx,
    accountId,
    experiment,
    testedVariants,
    now,
  );
  if (winner !== undefined) {
    return { outcome: 'final', winner, sentVariant: winner, decidedBy: null, evidence };
  }
  const sentVariant = experiment.fallback === 'leader' ? (leader ?? 1) : 1;
  return {
    outcome: 'no_winner',
    winner: null,
    sentVariant,
    decidedBy: null,
    evidence,
  };
}

/**
 * Leaves the choice to a user, because the experiment is decided manually, or its end was missed by
 * an hour or more.
 */
async function waitForOwner<Row extends BroadcastRow>(
  tx: Tx,
  adapter: BroadcastAdapter<Row>,
  row: Row,
  reason: 'late' | 'manual',
): Promise<void> {
  const { account_id: accountId, id } = row;
  const waiting = { state: 'waiting', reason, next_look_at: null } as const;
  await store.updateExperiment(tx, adapter.tables, accountId, id, waiting);
  sendChangeHint(tx, accountId, adapter.idKind, id);
  await notifyOwner(tx, adapter, row);
}
