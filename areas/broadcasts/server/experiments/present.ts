// Converts experiments to the contract's format.
import { readMember } from '#areas/accounts/server/index.ts';
import type { MessageDelivery } from '#areas/delivery/server/ledger/index.ts';
import { wilson } from '#areas/experiments/server/index.ts';
import { hasStores, messageOrders } from '#areas/stores/server/index.ts';
import { encodeId } from '#platform/ids.ts';
import { clock } from '#platform/server/clock.ts';
import type { Tx } from '#platform/server/database/database.ts';
import type { ExperimentMetric } from '../../shared.ts';
import { type BroadcastFigures, readBroadcasts, readEach } from '../figures.ts';
import type { BroadcastRow } from '../adapter.ts';
import { requireExperiment } from './draft.ts';
import { measureEffect } from './effect.ts';
import { type ExperimentEvidence, evaluateFinal, toTestedVariants } from './evidence.ts';
import type { ExperimentRow, VariantRow } from './rows.ts';
import { getDecisionTime, HOUR_MS, getRemainingShare } from './schedule.ts';
import type { ExperimentAdapter } from './adapter.ts';

const toIso = (date: Date | null | undefined) => date?.toISOString() ?? null;

/** Returns the experiment of a broadcast and the statistics of its variants. */
export async function readExperiment<Row extends BroadcastRow, Variant extends VariantRow>(
  tx: Tx,
  adapter: ExperimentAdapter<Row, Variant>,
  accountId: number,
  id: number,
) {
  const { row, experiment, variants } = await requireExperiment<Row, Variant>(
    tx,
    adapter,
    accountId,
    id,
  );
  const metric = experiment.metric as ExperimentMetric;
  const lead = row.message_id;
  const total = lead === null ? undefined : (await readBroadcasts(tx, accountId, [lead])).get(lead);
  const figuresByMessage = await readEach(tx, accountId, total?.messageIds ?? []);
  const orders = total ? await readOrders(tx, accountId, total.messageIds) : undefined;
  const variantShare = Math.round((experiment.test_share * 100) / variants.length) / 100;
  const restFigures = figuresByMessage.get(experiment.rest_message_id ?? 0);
  const hasHoldout = experiment.holdout_share > 0;
  return {
    id: encodeId(adapter.experimentKind, id),
    ...presentSettings(experiment),
    state: experiment.state,
    reason: experiment.reason,
    decides_at: toIso(getDecisionTime(experiment)),
    variants: variants.map((variant) => ({
      ...adapter.presentFields(row, variant),
      number: variant.number,
      delay_minutes: variant.delay_minutes,
      share: variantShare,
      figures: presentFigures(metric, figuresByMessage.get(variant.message_id ?? 0), orders),
    })),
    rest:
      getRemainingShare(experiment) === 0 ? null : presentRest(experiment, restFigures?.delivery),
    holdout: hasHoldout
      ? {
          people: total?.delivery.excluded.held_out ?? 0,
          effect: total ? await measureEffect(tx, accountId, experiment, total) : null,
        }
      : null,
    baseline: await adapter.estimateRate(tx, accountId, metric),
    revenue_currency: orders?.currency ?? null,
    decided: await presentDecision(tx, accountId, experiment),
    final: await evaluateFinalVerdict(tx, accountId, experiment, variants),
  };
}

function presentSettings(experiment: ExperimentRow) {
  const { metric, duration_hours, test_share, holdout_share, holdout_days } = experiment;
  const { is_automatic, fallback } = experiment;
  const decision = is_automatic ? ('automatic' as const) : ('manual' as const);
  return { metric, duration_hours, test_share, holdout_share, holdout_days, decision, fallback };
}

function presentRest(experiment: ExperimentRow, delivery: MessageDelivery | undefined) {
  return {
    share: getRemainingShare(experiment),
    people: delivery?.isAudienceDone ? delivery.audience : null,
    state: delivery?.state ?? null,
  };
}

type Orders = {
  currency: string | null;
  buyers: Map<number, Set<number>>;
  revenue: Map<number, number>;
};

/**
 * Returns each message's buyers and revenue, in the currency of most orders, or undefined without a
 * store.
 */
async function readOrders(
  tx: Tx,
  accountId: number,
  messageIds: readonly number[],
): Promise<Orders | undefined> {
  if (!(await hasStores(tx, accountId))) return undefined;
  const lines = await messageOrders.collect(tx, { accountId, messageIds });
  const counts = new Map<string, number>();
  for (const { currency } of lines) counts.set(currency, (counts.get(currency) ?? 0) + 1);
  const currency = [...counts].sort(([, a], [, b]) => b - a)[0]?.[0] ?? null;
  const buyers = new Map<number, Set<number>>();
  const revenue = new Map<number, number>();
  for (const line of lines) {
    const buyersOfMessage = buyers.get(line.messageId) ?? new Set();
    buyers.set(line.messageId, buyersOfMessage.add(line.subscriberId));
    if (line.currency !== currency) continue;
    revenue.set(line.messageId, (revenue.get(line.messageId) ?? 0) + line.amount);
  }
  return { currency, buyers, revenue };
}

function presentFigures(
  metric: ExperimentMetric,
  broadcast: BroadcastFigures | undefined,
  orders: Orders | undefined,
) {
  if (!broadcast) return null;
  const { delivery, engagement } = broadcast;
  const { accepted: acceptedCount } = delivery.counts;
  const buyers = orders ? (orders.buyers.get(delivery.messageId)?.size ?? 0) : null;
  const opens = engagement?.unique_human_opens ?? 0;
  const clicks = engagement?.unique_human_clicks ?? 0;
  const actions = { opens, clicks, buyers: buyers ?? 0 };
  return {
    people: delivery.audience,
    ...{ accepted: acceptedCount, opens, clicks, buyers },
    revenue: orders ? (orders.revenue.get(delivery.messageId) ?? 0) : null,
    unsubscribes: engagement?.unsubscribes ?? 0,
    rate: metric === 'revenue' ? null : presentRate(acceptedCount, actions[metric]),
    state: delivery.state,
  };
}

function presentRate(acceptedCount: number, actedCount: number) {
  const { low, high } = wilson({ accepted: acceptedCount, acted: actedCount });
  return { value: acceptedCount === 0 ? 0 : Math.min(1, actedCount / acceptedCount), low, high };
}

async function presentDecision(tx: Tx, accountId: number, experiment: ExperimentRow) {
  const { outcome, decided_at: at, decided_by: userId, winner, chosen } = experiment;
  if (outcome === null || at === null) return null;
  const decidingUser = userId === null ? undefined : await readMember(tx, accountId, userId);
  const evidence = experiment.evidence as ExperimentEvidence | null;
  return {
    ...{
      winner,
      chosen,
      outcome,
      at: at.toISOString(),
      by: decidingUser ? getName(decidingUser) : null,
    },
    verdict: presentVerdict(evidence?.verdict),
  };
}

const getName = (user: { name: string | null; surname: string | null; email: string }) =>
  [user.name, user.surname].filter(Boolean).join(' ') || user.email;

function presentVerdict(verdict: ExperimentEvidence['verdict']) {
  if (!verdict) return null;
  return {
    leader: verdict.leader,
    runner_up: verdict.runnerUp,
    leader_value: verdict.leaderValue,
    runner_up_value: verdict.runnerUpValue,
    ...{ difference: verdict.difference, low: verdict.low, high: verdict.high },
  };
}

/**
 * Returns the verdict over the full duration, because counting continues after an early or manual
 * decision. Returns null before the end of the duration and for a canceled experiment.
 */
async function evaluateFinalVerdict(
  tx: Tx,
  accountId: number,
  experiment: ExperimentRow,
  variants: readonly VariantRow[],
) {
  const { tested_at: testedAt, duration_hours: hours, state } = experiment;
  const now = clock.now();
  const isOver = testedAt !== null && now.getTime() >= testedAt.getTime() + hours * HOUR_MS;
  if (testedAt === null || !isOver || state === 'cancelled') return null;
  const testedVariants = toTestedVariants(variants, testedAt);
  const { evidence } = await evaluateFinal(tx, accountId, experiment, testedVariants, now);
  return presentVerdict(evidence.verdict);
}
