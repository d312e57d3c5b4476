// Seals campaigns 72 hours after their last handoff. Their cells become the history of later
// forecasts, and their own forecast is compared with the results.
import { forEachAccount } from '#areas/accounts/server/index.ts';
import {
  countWaits,
  finalShareAt,
  type FinishedCampaign,
  listFinishedCampaigns,
  isCompacted,
} from '#areas/delivery/server/ledger/index.ts';
import { messageOrders } from '#areas/stores/server/index.ts';
import { MAILBOXES } from '#areas/subscribers/shared.ts';
import { clock } from '#platform/server/clock.ts';
import {
  afterCommit,
  type Db,
  inTransaction,
  type Tx,
} from '#platform/server/database/database.ts';
import type { Poller } from '#platform/server/jobs/pollers.ts';
import type { CampaignForecast, Truth } from '../../forecast-contract.ts';
import { DONE_SHARE } from '../../forecast-shared.ts';
import { isInside, listOutcomes } from './calibration.ts';
import { insertCells, readTotals } from './cells.sql.ts';
import { PAST_CAMPAIGNS } from './forecast.ts';
import { findForecast, insertSealed, listSealed, updateForecast } from './forecasts.sql.ts';
import { comparedCounter } from './metrics.ts';
import { WAIT_BOUNDS, type WaitCounts } from './retries.ts';
import { type CurrencyRevenue, sampleAmounts } from './revenue.ts';

const HOUR_MS = 3_600_000;
/** Almost all opens, clicks and complaints have happened by then. */
const SEALED_AFTER_HOURS = 72;

export const sealPoller: Poller = {
  name: 'deliverability.seal_campaigns',
  intervalMs: HOUR_MS,
  run: (db, signal) =>
    forEachAccount(db, signal, (accountId) => sealDueCampaigns(db, accountId, signal)),
};

/**
 * Seals the newest finished campaigns, up to the number that forecasts read, including campaigns
 * sent before forecasts existed.
 */
export async function sealDueCampaigns(
  db: Db,
  accountId: number,
  signal?: AbortSignal,
): Promise<void> {
  const before = new Date(clock.now().getTime() - SEALED_AFTER_HOURS * HOUR_MS);
  const finishedCampaignRows = await listFinishedCampaigns(db, accountId, before, PAST_CAMPAIGNS);
  if (finishedCampaignRows.length === 0) return;
  const leads = finishedCampaignRows.map(({ lead }) => lead);
  const sealedIds = await listSealed(db, accountId, leads);
  for (const campaign of finishedCampaignRows) {
    if (signal?.aborted) return;
    if (sealedIds.has(campaign.lead)) continue;
    await inTransaction(db, (tx) => seal(tx, accountId, campaign));
  }
}

type SealedOrder = { subscriberId: number; currency: string; amount: number };

async function seal(tx: Tx, accountId: number, campaign: FinishedCampaign): Promise<void> {
  const { lead, messageIds, startedAt } = campaign;
  const orders = await messageOrders.collect(tx, { accountId, messageIds });
  const at = clock.now();
  const revenue = sumRevenue(orders);
  const hasCompacted = await isCompacted(tx, accountId, messageIds);
  const waits = hasCompacted ? null : await readWaits(tx, accountId, messageIds);
  const sealedCampaign = { accountId, messageId: lead, startedAt, earned: revenue, waits, at };
  if (!(await insertSealed(tx, sealedCampaign))) return;
  await insertCells(tx, {
    ...{ accountId, lead, messageIds, startedAt, hasCompacted },
    buyerIds: orders.map(({ subscriberId }) => subscriberId),
  });
  const row = await findForecast(tx, accountId, lead);
  if (row) {
    const doneAt = hasCompacted ? null : await finalShareAt(tx, accountId, messageIds, DONE_SHARE);
    const truth = await computeTruth(tx, accountId, lead, {
      forecast: row.forecast,
      orders,
      doneAt,
    });
    await updateForecast(tx, accountId, lead, { truth: JSON.stringify(truth), truth_at: at });
    const outcomes = listOutcomes({ forecast: row.forecast, truth });
    afterCommit(() => {
      for (const outcome of outcomes) {
        comparedCounter.inc({
          metric: outcome.metric,
          result: isInside(outcome) ? 'inside' : 'outside',
        });
      }
    });
  }
}

function groupByCurrency(orders: readonly SealedOrder[]): Map<string, number[]> {
  const amounts = new Map<string, number[]>();
  for (const { currency, amount } of orders) {
    const list = amounts.get(currency) ?? [];
    list.push(amount);
    amounts.set(currency, list);
  }
  return amounts;
}

const sumRevenue = (orders: readonly SealedOrder[]): CurrencyRevenue[] =>
  [...groupByCurrency(orders)].map(([currency, amounts]) => ({
    ...{ currency, orders: amounts.length },
    amounts: sampleAmounts(amounts),
  }));

/** Counts waits by mailbox provider. Providers that deferred no email are absent. */
async function readWaits(
  tx: Tx,
  accountId: number,
  messageIds: readonly number[],
): Promise<WaitCounts> {
  const waits: Record<string, number[]> = {};
  for (const { mailbox, range, copies } of await countWaits(
    tx,
    accountId,
    messageIds,
    WAIT_BOUNDS,
  )) {
    const counts = (waits[mailbox] ??= Array.from({ length: WAIT_BOUNDS.length + 1 }, () => 0));
    counts[range] = copies;
  }
  return waits;
}

/** Returns the results. Counts complaints only at providers with a complaint forecast. */
async function computeTruth(
  tx: Tx,
  accountId: number,
  lead: number,
  {
    forecast,
    orders,
    doneAt,
  }: { forecast: CampaignForecast; orders: readonly SealedOrder[]; doneAt: Date | null },
): Promise<Truth> {
  const listMailboxNumbers = (mailboxes: CampaignForecast['mailboxes']) =>
    mailboxes.map(({ mailbox }) => MAILBOXES[mailbox as keyof typeof MAILBOXES]);
  const mailboxes = listMailboxNumbers(forecast.mailboxes);
  const reporting = listMailboxNumbers(
    forecast.mailboxes.filter(({ metrics }) => metrics.complaints !== null),
  );
  const totals = await readTotals(tx, accountId, lead);
  const reportedTotals = await readTotals(tx, accountId, lead, {
    selected: reporting,
    listedHosts: mailboxes,
  });
  const people = totals?.recipients ?? 0;
  const bounces = totals?.bounces ?? 0;
  return {
    ...{ people, bounces, delivered: people - bounces },
    ...{ opens: totals?.opens ?? 0, clicks: totals?.clicks ?? 0 },
    unsubscribes: totals?.unsubscribes ?? 0,
    complaints: reporting.length > 0 ? (reportedTotals?.complaints ?? 0) : null,
    done: doneAt?.toISOString() ?? null,
    revenue: [...groupByCurrency(orders)].map(([currency, amounts]) => ({
      ...{ currency, orders: amounts.length },
      amount: amounts.reduce((sum, amount) => sum + amount, 0),
    })),
  };
}
