// Incremental effect of a broadcast by intention to treat: all selected subscribers are compared
// with the holdout group, by all orders within the days of the experiment, attributed or not.
import { computeIncrementalEffect } from '#areas/experiments/server/index.ts';
import { clock } from '#platform/server/clock.ts';
import type { Tx } from '#platform/server/database/database.ts';
import type { BroadcastFigures } from '../figures.ts';
import { findCurrency, findLargeTotal, readSpending } from './evidence.sql.ts';
import { hasRestDue } from './decision.ts';
import type { ExperimentRow } from './rows.ts';
import { HOUR_MS } from './schedule.ts';

const DAY_MS = 24 * HOUR_MS;
const YEAR_MS = 365 * DAY_MS;

/**
 * Returns null without a holdout group, and while recipients wait for the decision, because the
 * selection is incomplete before it.
 */
export async function measureEffect(
  tx: Tx,
  accountId: number,
  experiment: ExperimentRow,
  { delivery, messageIds }: BroadcastFigures,
) {
  const { startedAt: from } = delivery;
  const heldOut = delivery.excluded.held_out ?? 0;
  if (from === null || heldOut === 0 || hasRestDue(experiment)) return null;
  const now = clock.now();
  const end = new Date(from.getTime() + experiment.holdout_days * DAY_MS);
  const until = now < end ? now : end;
  const currency = (await findCurrency(tx, accountId, from, until)) ?? '';
  const group = { lead: delivery.messageId, messageIds };
  const spending = await readSpending(tx, accountId, group, { from, to: until, currency });
  const cap = await findLargeTotal(tx, accountId, currency, new Date(now.getTime() - YEAR_MS));
  const listAmounts = (isHeldOut: boolean) =>
    spending
      .filter((subscriber) => subscriber.is_held_out === isHeldOut)
      .map((subscriber) => subscriber.amount);
  const treatment = { subscriberCount: delivery.audience, amounts: listAmounts(false) };
  const control = { subscriberCount: heldOut, amounts: listAmounts(true) };
  const effect =
    spending.length > 0 ? computeIncrementalEffect(treatment, control, cap) : undefined;
  return {
    until: until.toISOString(),
    is_final: now >= end,
    chosen: treatment.subscriberCount,
    held_out: control.subscriberCount,
    chosen_buyers: treatment.amounts.length,
    held_out_buyers: control.amounts.length,
    buyers: effect ? presentEffect(effect.buyers) : null,
    revenue: effect ? presentEffect(effect.revenue) : null,
  };
}

const presentEffect = (effect: {
  difference: number;
  interval: { low: number; high: number };
}) => ({
  difference: effect.difference,
  low: effect.interval.low,
  high: effect.interval.high,
});
