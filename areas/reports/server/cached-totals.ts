// Reads or computes sums by group and by mailbox domain. Computing them reads every recipient of a
// message, which takes milliseconds for most messages and seconds for a million recipients. For
// large messages a job computes and stores the sums, so that no request waits: responses contain
// the stored sums, or state that the first ones are being computed. The screen is notified of new
// sums through the message's topic.
import { z } from 'zod';
import { listCampaignGroupRows } from '#areas/campaigns/server/index.ts';
import { toMessageId } from '#areas/delivery/lead-id.ts';
import { readDelivery } from '#areas/delivery/server/ledger/index.ts';
import { clock } from '#platform/server/clock.ts';
import { inTransaction, type Tx } from '#platform/server/database/database.ts';
import { AppError } from '#platform/server/errors.ts';
import { addJob, defineJob } from '#platform/server/jobs/jobs.ts';
import { sendChangeHint } from '#platform/server/live/live.ts';
import { MAX_DOMAINS } from '../shared.ts';
import * as kept from './cached-totals.sql.ts';
import { type ReportedCampaign, readReportedCampaign } from './overview.ts';
import * as store from './reports.sql.ts';

/** For campaigns with fewer recipients, each request computes the sums, in less than 0.3 s. */
const MIN_CACHED_RECIPIENTS = 50_000;
const FRESH_MS = 60_000;

const ASPECTS = ['groups', 'domains'] as const;
type Aspect = (typeof ASPECTS)[number];
type RowOf = { groups: store.GroupSums; domains: store.DomainSums };

export type SumsOf<A extends Aspect> = { rows: RowOf[A][]; isCounting: boolean };

/**
 * Reads the sums of a campaign. If the sums of a large campaign are missing or older than a minute,
 * a job computes them.
 */
export async function readSums<A extends Aspect>(
  tx: Tx,
  accountId: number,
  campaign: ReportedCampaign,
  aspect: A,
): Promise<SumsOf<A>> {
  const { message_id: lead, variant } = campaign;
  if (!(await isLarge(tx, accountId, campaign.messageIds))) {
    return { rows: await compute(tx, accountId, campaign, aspect), isCounting: false };
  }
  const cached = await kept.readCachedTotals(
    tx,
    accountId,
    toMessageId(lead),
    keyOf(aspect, variant),
  );
  if (!cached || clock.now().getTime() - cached.computed_at.getTime() > FRESH_MS) {
    await requestSums(tx, accountId, campaign.id, aspect, variant);
  }
  return { rows: (cached?.rows ?? []) as RowOf[A][], isCounting: cached === undefined };
}

async function isLarge(tx: Tx, accountId: number, messageIds: readonly number[]): Promise<boolean> {
  const deliveries = await readDelivery(tx, accountId, messageIds);
  return deliveries.reduce((total, { audience }) => total + audience, 0) >= MIN_CACHED_RECIPIENTS;
}

/** Sums of a variant are stored in addition to the sums of the whole campaign. */
const keyOf = (aspect: Aspect, variant: number | undefined) =>
  variant === undefined ? aspect : `${aspect}:${variant}`;

export function requestSums(
  tx: Tx,
  accountId: number,
  campaignId: number,
  aspect: Aspect,
  variant?: number,
) {
  const key = `report-sums:${accountId}:${campaignId}:${keyOf(aspect, variant)}`;
  return addJob(tx, refreshSumsJob, { accountId, campaignId, aspect, variant }, { key });
}

/** Handles `broadcast.finished`: lets jobs compute the sums before the first request. */
export async function prepareSums(
  tx: Tx,
  broadcast: { accountId: number; messageIds: readonly number[]; kind: string; campaignId: number },
): Promise<void> {
  const { accountId, messageIds, kind, campaignId } = broadcast;
  if (kind !== 'campaign' || !(await isLarge(tx, accountId, messageIds))) return;
  for (const aspect of ASPECTS) await requestSums(tx, accountId, campaignId, aspect);
}

async function compute<A extends Aspect>(
  tx: Tx,
  accountId: number,
  campaign: ReportedCampaign,
  aspect: A,
): Promise<RowOf[A][]> {
  const { messageIds } = campaign;
  const rows =
    aspect === 'domains'
      ? await store.sumDomains(tx, accountId, messageIds, MAX_DOMAINS)
      : await store.sumGroups(
          tx,
          accountId,
          messageIds,
          await listTargetGroupIds(tx, accountId, campaign),
        );
  return rows as RowOf[A][];
}

/**
 * Lists the ids of the groups that the campaign was sent to; all groups if it was sent to all
 * subscribers.
 */
export async function listTargetGroupIds(
  tx: Tx,
  accountId: number,
  campaign: ReportedCampaign,
): Promise<number[]> {
  if (campaign.send_to_all) {
    return (await store.readGroups(tx, accountId, undefined)).map((group) => group.id);
  }
  const groupRows = await listCampaignGroupRows(tx, accountId, [campaign.id]);
  return groupRows.filter((group) => !group.is_excluded).map((group) => group.id);
}

async function computeAndCache(
  tx: Tx,
  accountId: number,
  campaign: ReportedCampaign,
  aspect: Aspect,
): Promise<void> {
  const at = clock.now();
  const rows = await compute(tx, accountId, campaign, aspect);
  const { message_id: lead, variant } = campaign;
  await kept.saveCachedTotals(tx, accountId, toMessageId(lead), keyOf(aspect, variant), rows, at);
}

/** Reads the campaign of a job; undefined if it has been removed. */
async function stillReported(
  tx: Tx,
  accountId: number,
  campaignId: number,
  variant: number | undefined,
): Promise<ReportedCampaign | undefined> {
  try {
    return await readReportedCampaign(tx, accountId, campaignId, variant);
  } catch (error) {
    if (error instanceof AppError) return undefined;
    throw error;
  }
}

export const refreshSumsJob = defineJob({
  name: 'reports.refreshSums',
  payload: z.object({
    accountId: z.number(),
    campaignId: z.number(),
    aspect: z.enum(ASPECTS),
    variant: z.number().optional(),
  }),
  run: ({ accountId, campaignId, aspect, variant }, { db }) =>
    inTransaction(db, async (tx) => {
      const campaign = await stillReported(tx, accountId, campaignId, variant);
      if (campaign === undefined) return;
      await computeAndCache(tx, accountId, campaign, aspect);
      sendChangeHint(tx, accountId, 'message', toMessageId(campaign.message_id));
    }),
});
