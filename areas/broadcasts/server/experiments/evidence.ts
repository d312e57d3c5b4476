// Compares the variants of an experiment at an equal age: the count of each variant includes the
// subscribers who acted within the same time after its mean first attempt. Without this, identical
// content sent five minutes later loses in 43 % of experiments.
import { type MessageDelivery, readDelivery } from '#areas/delivery/server/ledger/index.ts';
import {
  findEarlyWinner,
  computeFinalVerdict,
  type Proportion,
  type Revenue,
  computeRevenueVerdict,
  type ExperimentVerdict,
} from '#areas/experiments/server/index.ts';
import { messageOrders } from '#areas/stores/server/index.ts';
import type { Tx } from '#platform/server/database/database.ts';
import type { ExperimentMetric } from '../../shared.ts';
import { countActed, findLargeTotal } from './evidence.sql.ts';
import type { ExperimentRow, VariantRow } from './rows.ts';
import { HOUR_MS } from './schedule.ts';

const YEAR_MS = 365 * 24 * HOUR_MS;

/** A variant, its message and the mean time of its first attempts. */
export type TestedVariant = { number: number; messageId: number; mean: Date };

export type VariantEvidence = { number: number; accepted: number; acted: number; revenue?: number };

export type ExperimentEvidence = {
  metric: ExperimentMetric;
  /** Milliseconds since the mean first attempt, the same for all variants. */
  age: number;
  variants: VariantEvidence[];
  currency?: string | undefined;
  /**
   * Comparison of the leader with the runner-up, both given as the number of a variant; absent if
   * there is no leader or no runner-up.
   */
  verdict?: {
    leader: number;
    runnerUp: number;
    leaderValue: number;
    runnerUpValue: number;
    difference: number;
    low: number;
    high: number;
  };
};

export type ExperimentEvaluation = {
  evidence: ExperimentEvidence;
  winner: number | undefined;
  leader: number | undefined;
};

export function toTestedVariants(variants: readonly VariantRow[], fallback: Date): TestedVariant[] {
  return variants.flatMap(({ number, message_id: messageId, mean_handed_at: mean }) =>
    messageId === null ? [] : [{ number, messageId, mean: mean ?? fallback }],
  );
}

/** Returns the milliseconds since the latest mean. */
export function getAge(now: Date, variants: readonly TestedVariant[]): number {
  return now.getTime() - Math.max(...variants.map(({ mean }) => mean.getTime()));
}

/** Evaluates a running test by opens, clicks or buyers; revenue is compared only at the end. */
export async function evaluateEarly(
  tx: Tx,
  accountId: number,
  metric: Exclude<ExperimentMetric, 'revenue'>,
  testedVariants: readonly TestedVariant[],
  age: number,
): Promise<ExperimentEvaluation> {
  const variants = await countVariants(tx, accountId, metric, testedVariants, age);
  const index = findEarlyWinner(variants);
  const winner = index === undefined ? undefined : testedVariants[index]?.number;
  const { verdict } = describeVerdict(
    testedVariants,
    computeFinalVerdict(variants),
    variants.map(computeRate),
  );
  const evidence = { metric, age, variants: addNumbers(testedVariants, variants), verdict };
  return { evidence, winner, leader: winner };
}

/** Evaluates the test over its full duration. */
export async function evaluateFinal(
  tx: Tx,
  accountId: number,
  experiment: Pick<ExperimentRow, 'metric' | 'duration_hours' | 'campaign_id'>,
  testedVariants: readonly TestedVariant[],
  now: Date,
): Promise<ExperimentEvaluation> {
  const metric = experiment.metric as ExperimentMetric;
  const age = experiment.duration_hours * HOUR_MS;
  if (metric === 'revenue') {
    return evaluateRevenue(tx, accountId, experiment.campaign_id, testedVariants, age, now);
  }
  const variants = await countVariants(tx, accountId, metric, testedVariants, age);
  const { verdict, winner, leader } = describeVerdict(
    testedVariants,
    computeFinalVerdict(variants),
    variants.map(computeRate),
  );
  const evidence = { metric, age, variants: addNumbers(testedVariants, variants), verdict };
  return { evidence, winner, leader };
}

async function evaluateRevenue(
  tx: Tx,
  accountId: number,
  seed: number,
  testedVariants: readonly TestedVariant[],
  age: number,
  now: Date,
): Promise<ExperimentEvaluation> {
  const orders = await readOrders(tx, accountId, testedVariants, age);
  const currency = findMostFrequent(orders.map((order) => order.currency));
  const since = new Date(now.getTime() - YEAR_MS);
  const cap = currency && (await findLargeTotal(tx, accountId, currency, since));
  const acceptedCounts = await countAccepted(tx, accountId, testedVariants);
  const variants = testedVariants.map(({ messageId }, index): Revenue => {
    const amounts = new Map<number, number>();
    for (const order of orders) {
      if (order.messageId !== messageId || order.currency !== currency) continue;
      amounts.set(order.subscriberId, (amounts.get(order.subscriberId) ?? 0) + order.amount);
    }
    return { subscriberCount: acceptedCounts[index] ?? 0, amounts: [...amounts.values()] };
  });
  const options = { seed, ...(cap ? { cap } : {}) };
  const perRecipient = variants.map(
    ({ subscriberCount, amounts }) =>
      amounts.reduce((total, amount) => total + amount, 0) / Math.max(1, subscriberCount),
  );
  const { verdict, winner, leader } = describeVerdict(
    testedVariants,
    computeRevenueVerdict(variants, options),
    perRecipient,
  );
  const counts = testedVariants.map(({ number }, index) => ({
    number,
    accepted: variants[index]?.subscriberCount ?? 0,
    acted: variants[index]?.amounts.length ?? 0,
    revenue: variants[index]?.amounts.reduce((total, amount) => total + amount, 0) ?? 0,
  }));
  return {
    evidence: { metric: 'revenue', age, variants: counts, currency, verdict },
    winner,
    leader,
  };
}

const computeRate = ({ accepted, acted }: Proportion) => (accepted > 0 ? acted / accepted : 0);

const addNumbers = (testedVariants: readonly TestedVariant[], variants: readonly Proportion[]) =>
  testedVariants.map(({ number }, index) => ({
    number,
    accepted: variants[index]?.accepted ?? 0,
    acted: variants[index]?.acted ?? 0,
  }));

function describeVerdict(
  tested: readonly TestedVariant[],
  verdict: ExperimentVerdict,
  values: readonly number[],
) {
  const getNumber = (index: number | undefined) =>
    index === undefined ? undefined : tested[index]?.number;
  const { leader, runnerUp, difference, interval } = verdict;
  const numbers = { leader: getNumber(leader), runnerUp: getNumber(runnerUp) };
  const winner = getNumber(verdict.winner);
  if (numbers.leader === undefined || numbers.runnerUp === undefined) {
    return { winner, leader: numbers.leader, verdict: undefined };
  }
  return {
    winner,
    leader: numbers.leader,
    verdict: {
      leader: numbers.leader,
      runnerUp: numbers.runnerUp,
      leaderValue: values[leader as number] ?? 0,
      runnerUpValue: values[runnerUp as number] ?? 0,
      difference,
      low: interval.low,
      high: interval.high,
    },
  };
}

async function countAccepted(
  tx: Tx,
  accountId: number,
  variants: readonly TestedVariant[],
): Promise<number[]> {
  const ids = variants.map(({ messageId }) => messageId);
  const deliveries = await readDelivery(tx, accountId, ids);
  const getAcceptedCount = (id: number) =>
    deliveries.find(({ messageId }: MessageDelivery) => messageId === id)?.counts.accepted ?? 0;
  return ids.map(getAcceptedCount);
}

async function countVariants(
  tx: Tx,
  accountId: number,
  metric: Exclude<ExperimentMetric, 'revenue'>,
  variants: readonly TestedVariant[],
  age: number,
): Promise<Proportion[]> {
  const acceptedCounts = await countAccepted(tx, accountId, variants);
  const actedCounts = await readActedCounts(tx, accountId, metric, variants, age);
  return variants.map(({ messageId }, index) => ({
    accepted: acceptedCounts[index] ?? 0,
    acted: actedCounts.get(messageId) ?? 0,
  }));
}

async function readActedCounts(
  tx: Tx,
  accountId: number,
  metric: Exclude<ExperimentMetric, 'revenue'>,
  variants: readonly TestedVariant[],
  age: number,
): Promise<Map<number, number>> {
  if (metric !== 'buyers') return countActed(tx, accountId, metric, limitToAge(variants, age));
  const buyers = new Map<number, Set<number>>();
  for (const { messageId, subscriberId } of await readOrders(tx, accountId, variants, age)) {
    buyers.set(messageId, (buyers.get(messageId) ?? new Set()).add(subscriberId));
  }
  return new Map([...buyers].map(([messageId, buyerIds]) => [messageId, buyerIds.size]));
}

const limitToAge = (variants: readonly TestedVariant[], age: number) =>
  variants.map(({ messageId, mean }) => ({ messageId, until: new Date(mean.getTime() + age) }));

/**
 * Reads the orders that are attributed to the variants and were placed at most `age` after the mean
 * first attempt of their variant.
 */
async function readOrders(
  tx: Tx,
  accountId: number,
  variants: readonly TestedVariant[],
  age: number,
) {
  const messageIds = variants.map(({ messageId }) => messageId);
  const untils = new Map(
    limitToAge(variants, age).map((message) => [message.messageId, message.until]),
  );
  const orders = await messageOrders.collect(tx, { accountId, messageIds });
  return orders.filter(({ messageId, at }) => at <= (untils.get(messageId) ?? at));
}

function findMostFrequent(values: readonly string[]): string | undefined {
  const counts = new Map<string, number>();
  for (const value of values) counts.set(value, (counts.get(value) ?? 0) + 1);
  return [...counts].sort(([a, m], [b, n]) => n - m || a.localeCompare(b))[0]?.[0];
}
