// Checks running experiments: first, whether every copy of the variants had its first attempt;
// then, every five minutes, whether a variant wins early; and at the end of the duration.
import { findFirstAttempts, readDelivery } from '#areas/delivery/server/ledger/index.ts';
import { clock } from '#platform/server/clock.ts';
import {
  type Db,
  inTransaction,
  isCutOff,
  isRetriable,
  type Tx,
} from '#platform/server/database/database.ts';
import { hint } from '#platform/server/live/live.ts';
import { log } from '#platform/server/log.ts';
import type { Poller } from '#platform/server/jobs/pollers.ts';
import { LATE_MS, type Metric } from '../../shared.ts';
import { eachAccount } from '../each-account.ts';
import type { BroadcastAdapter, BroadcastRow } from '../adapter.ts';
import {
  decide,
  type Decision,
  type Experiment,
  failDecision,
  lockedExperiment,
  notifyOwner,
} from './decision.ts';
import {
  ageAt,
  evaluateEarly,
  evaluateFinal,
  type TestedVariant,
  toTestedVariants,
} from './evidence.ts';
import * as store from './experiments.sql.ts';
import { READINESS_CHECK_MS, decidesAt, EARLY_CHECK_MS, restShare } from './life.ts';

/** Runs in the elected worker. */
export function experimentPoller<Row extends BroadcastRow>(adapter: BroadcastAdapter<Row>): Poller {
  return {
    name: `${adapter.area}.experiments`,
    everyMs: 5_000,
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
  const accounts = await store.accountsWithDueChecks(db, adapter.tables, now);
  return eachAccount(accounts, (accountId) => checkNext(db, adapter, accountId, now));
}

async function checkNext<Row extends BroadcastRow>(
  db: Db,
  adapter: BroadcastAdapter<Row>,
  accountId: number,
  now: Date,
): Promise<boolean> {
  const id = await store.findDueCheck(db, adapter.tables, accountId, now, []);
  if (id === undefined) return false;
  let decision: Decision | undefined;
  try {
    await inTransaction(db, async (tx) => {
      const found = await lockedExperiment<Row>(tx, adapter, accountId, id);
      if (!found || !isDue(found, now)) return;
      decision = await checkNow(tx, adapter, found, now);
      if (decision) await decide(tx, adapter, found, decision);
    });
  } catch (error) {
    if (isRetriable(error) || isCutOff(error)) throw error;
    await afterFailure(db, adapter, { accountId, id, decision, now }, error);
  }
  return true;
}

const isDue = ({ experiment: { state, next_look_at: at } }: Experiment<BroadcastRow>, now: Date) =>
  state === 'testing' && at !== null && at <= now;

/**
 * A decision that fails for a reason that users can resolve is not retried; after any other failure
 * it is retried for an hour. A check that fails before a decision is retried without a limit.
 */
async function afterFailure<Row extends BroadcastRow>(
  db: Db,
  adapter: BroadcastAdapter<Row>,
  failed: { accountId: number; id: number; decision: Decision | undefined; now: Date },
  error: unknown,
): Promise<void> {
  const { accountId, id, decision, now } = failed;
  const reason = adapter.reasonOf(error);
  const facts = { account: accountId, [adapter.idKind]: id, error: error as Error };
  if (reason === undefined) log.error('Could not evaluate an experiment; retrying', facts);
  else log.warn('Could not send an experiment to the remaining recipients', facts);
  await inTransaction(db, async (tx) => {
    const found = await lockedExperiment<Row>(tx, adapter, accountId, id);
    if (!found || !isDue(found, now)) return;
    const since = found.experiment.failing_since ?? now;
    const isOver = reason !== undefined || now.getTime() - since.getTime() >= LATE_MS;
    if (isOver && decision) {
      await failDecision(tx, adapter, found, decision, reason ?? 'server_error');
      return;
    }
    const next_look_at = new Date(now.getTime() + READINESS_CHECK_MS);
    await store.updateExperiment(tx, adapter.tables, accountId, id, {
      next_look_at,
      failing_since: since,
    });
  });
}

/** Checks the experiment once, and plans the next check unless this one leads to a decision. */
async function checkNow<Row extends BroadcastRow>(
  tx: Tx,
  adapter: BroadcastAdapter<Row>,
  found: Experiment<Row>,
  now: Date,
): Promise<Decision | undefined> {
  const { account_id: accountId, id } = found.row;
  const later = async (ms: number) => {
    const next_look_at = new Date(now.getTime() + ms);
    await store.updateExperiment(tx, adapter.tables, accountId, id, { next_look_at });
    return undefined;
  };
  const ready = await testedVariants(tx, adapter, found, now);
  if (!ready) return later(READINESS_CHECK_MS);
  const { tested, testedAt } = ready;
  const end = decidesAt({ ...found.experiment, tested_at: testedAt }) ?? now;
  if (now >= end) return atEnd(tx, adapter, found, { tested, end, now });
  const early = await earlyDecision(tx, found, tested, now);
  return early ?? later(Math.min(EARLY_CHECK_MS, end.getTime() - now.getTime()));
}

/**
 * Returns undefined while a message is paused, and until all recipients are known and every copy
 * had its first attempt.
 */
async function testedVariants<Row extends BroadcastRow>(
  tx: Tx,
  adapter: BroadcastAdapter<Row>,
  { row, experiment, variants }: Experiment<Row>,
  now: Date,
): Promise<{ tested: TestedVariant[]; testedAt: Date } | undefined> {
  const { account_id: accountId, id } = row;
  const ids = variants.flatMap(({ message_id: messageId }) => messageId ?? []);
  const deliveries = await readDelivery(tx, accountId, ids);
  const isStopped = deliveries.some(
    ({ state, isInstancePaused }) => state === 'paused' || isInstancePaused,
  );
  if (isStopped) return undefined;
  const { tested_at: before } = experiment;
  if (before !== null) return { tested: toTestedVariants(variants, before), testedAt: before };
  const isLeaving = deliveries.some(
    ({ isAudienceDone, counts }) => !isAudienceDone || counts.pending + counts.handing_over > 0,
  );
  if (isLeaving) return undefined;
  const attempts = await findFirstAttempts(tx, accountId, ids);
  const last = attempts.map((attempt) => attempt.last.getTime());
  const testedAt = last.length > 0 ? new Date(Math.max(...last)) : now;
  const tested: TestedVariant[] = [];
  for (const { id: variantId, number, message_id: messageId } of variants) {
    if (messageId === null) continue;
    const mean = attempts.find((attempt) => attempt.messageId === messageId)?.mean ?? testedAt;
    await store.updateVariant(tx, adapter.tables, accountId, variantId, { mean_handed_at: mean });
    tested.push({ number, messageId, mean });
  }
  await store.updateExperiment(tx, adapter.tables, accountId, id, { tested_at: testedAt });
  hint(tx, accountId, adapter.idKind, id);
  return { tested, testedAt };
}

/**
 * An experiment that compares send times or revenue, or that is decided manually, has no early
 * decision.
 */
async function earlyDecision<Row extends BroadcastRow>(
  tx: Tx,
  { row, experiment, variants }: Experiment<Row>,
  tested: readonly TestedVariant[],
  now: Date,
): Promise<Decision | undefined> {
  const metric = experiment.metric as Metric;
  const hasDelays = variants.some(({ delay_minutes: delay }) => (delay ?? 0) > 0);
  if (!experiment.is_automatic || metric === 'revenue' || hasDelays) return undefined;
  const age = ageAt(now, tested);
  if (age <= 0) return undefined;
  const { winner, evidence } = await evaluateEarly(tx, row.account_id, metric, tested, age);
  if (winner === undefined) return undefined;
  return { outcome: 'early', winner, chosen: winner, by: null, evidence };
}

async function atEnd<Row extends BroadcastRow>(
  tx: Tx,
  adapter: BroadcastAdapter<Row>,
  { row, experiment }: Experiment<Row>,
  { tested, end, now }: { tested: readonly TestedVariant[]; end: Date; now: Date },
): Promise<Decision | undefined> {
  const hasRest = restShare(experiment) > 0;
  // A failed start is retried with the same decision.
  const isLate = experiment.failing_since === null && now.getTime() - end.getTime() >= LATE_MS;
  if (hasRest && (isLate || !experiment.is_automatic)) {
    await waitForOwner(tx, adapter, row, isLate ? 'late' : 'manual');
    return undefined;
  }
  const { account_id: accountId } = row;
  const { winner, leader, evidence } = await evaluateFinal(tx, accountId, experiment, tested, now);
  if (winner !== undefined) {
    return { outcome: 'final', winner, chosen: winner, by: null, evidence };
  }
  const chosen = experiment.fallback === 'leader' ? (leader ?? 1) : 1;
  return { outcome: 'no_winner', winner: null, chosen, by: null, evidence };
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
  hint(tx, accountId, adapter.idKind, id);
  await notifyOwner(tx, adapter, row);
}
