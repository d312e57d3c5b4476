// Links of a campaign and their clicks, in lists and as a heatmap of the email.
import { listCampaignVariants, findChosenVariant } from '#areas/campaigns/server/index.ts';
import { toMessageId } from '#areas/delivery/lead-id.ts';
import { readSentHtml } from '#areas/delivery/server/ledger/index.ts';
import type { ListRequest } from '#platform/contract.ts';
import { encodeId } from '#platform/ids.ts';
import type { Reader } from '#platform/server/database/database.ts';
import { notFound } from '#platform/server/errors.ts';
import { buildListResponse } from '#platform/server/database/lists.ts';
import type { Heatmap, Link, LinkSort } from '../contract.ts';
import { readReportedCampaign } from './overview.ts';
import * as store from './reports.sql.ts';

export async function listLinks(
  db: Reader,
  accountId: number,
  campaignId: number,
  { list, variant }: { list: ListRequest<LinkSort>; variant?: number | undefined },
) {
  const { messageIds } = await readReportedCampaign(db, accountId, campaignId, variant);
  return buildListResponse(
    list,
    {
      rows: (slice) => store.listLinks(db, accountId, messageIds, list, slice),
      total: () => store.countLinks(db, accountId, messageIds, list.search),
    },
    presentLink,
  );
}

export async function readLink(
  db: Reader,
  accountId: number,
  campaignId: number,
  position: number,
  variant?: number,
): Promise<Link> {
  const { messageIds } = await readReportedCampaign(db, accountId, campaignId, variant);
  const row = await store.findLink(db, accountId, messageIds, position);
  if (!row) throw notFound();
  return presentLink(row);
}

/** Presents a link. Its id encodes its first position, which is unique within the report. */
function presentLink(row: store.ReportLinkRow): Link {
  const { position, url, label, clicks, human_clicks, unique_clicks, unique_human_clicks } = row;
  const counts = { clicks, human_clicks, unique_clicks, unique_human_clicks };
  return { id: encodeId('link', position), position, url, label: label ?? '', ...counts };
}

/**
 * Reads a variant's heatmap. Without a number, reads that of the winner, which most recipients got,
 * or of the first variant if there is no winner.
 */
export async function readHeatmap(
  db: Reader,
  accountId: number,
  campaignId: number,
  variantNumber?: number,
): Promise<Heatmap> {
  const leadMessageId = toMessageId(
    (await readReportedCampaign(db, accountId, campaignId, variantNumber)).message_id,
  );
  const messageIds = await shownMessages(db, accountId, {
    campaignId,
    leadMessageId,
    variantNumber,
  });
  const [messageId = leadMessageId] = messageIds;
  const html = await readSentHtml(db, accountId, messageId, (position) => `#link-${position}`);
  const rows = await store.listAllLinks(db, accountId, messageIds);
  return {
    html: html ?? null,
    // The message to the remaining recipients has the same positions as its variant's message.
    links: rows.map((row) => ({
      ...presentLink(row),
      positions: row.positions.map((position) => position % store.POSITIONS),
    })),
  };
}

async function shownMessages(
  db: Reader,
  accountId: number,
  target: { campaignId: number; leadMessageId: number; variantNumber: number | undefined },
): Promise<number[]> {
  const winner = await findChosenVariant(db, accountId, target.campaignId);
  const number = target.variantNumber ?? winner?.number ?? 1;
  const variants = await listCampaignVariants(db, accountId, target.campaignId);
  const messageId =
    variants.find((variant) => variant.number === number)?.message_id ?? target.leadMessageId;
  const restId =
    winner?.number === number && target.variantNumber === undefined ? winner.restId : null;
  return restId === null ? [messageId] : [messageId, restId];
}
