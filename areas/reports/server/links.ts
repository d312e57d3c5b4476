// The links of a campaign, each with its clicks.
import { readSentHtml } from '#areas/delivery/server/ledger/index.ts';
import type { ListRequest } from '#platform/contract.ts';
import { encodeId } from '#platform/ids.ts';
import type { Reader } from '#platform/server/database/database.ts';
import { notFound } from '#platform/server/errors.ts';
import { answerList } from '#platform/server/database/lists.ts';
import type { Heatmap, Link, LinkSort } from '../contract.ts';
import { reported } from './overview.ts';
import * as store from './reports.sql.ts';

export async function listLinks(
  db: Reader,
  accountId: number,
  campaignId: number,
  list: ListRequest<LinkSort>,
) {
  const { message_id: messageId } = await reported(db, accountId, campaignId);
  return answerList(
    list,
    {
      rows: (slice) => store.listLinks(db, accountId, messageId, list, slice),
      total: () => store.countLinks(db, accountId, messageId, list.search),
    },
    presentLink,
  );
}

export async function readLink(
  db: Reader,
  accountId: number,
  campaignId: number,
  position: number,
): Promise<Link> {
  const { message_id: messageId } = await reported(db, accountId, campaignId);
  const row = await store.findLink(db, accountId, messageId, position);
  if (!row) throw notFound();
  return presentLink(row);
}

/** A link's id is its first position in the email, unique within its campaign. */
function presentLink(row: store.LinkRow): Link {
  const { position, url, label, clicks, human_clicks, unique_clicks, unique_human_clicks } = row;
  const counts = { clicks, human_clicks, unique_clicks, unique_human_clicks };
  return { id: encodeId('link', position), position, url, label: label ?? '', ...counts };
}

export async function readHeatmap(
  db: Reader,
  accountId: number,
  campaignId: number,
): Promise<Heatmap> {
  const { message_id: messageId } = await reported(db, accountId, campaignId);
  const html = await readSentHtml(db, accountId, messageId, (position) => `#link-${position}`);
  const rows = await store.allLinks(db, accountId, messageId);
  return {
    html: html ?? null,
    links: rows.map((row) => ({ ...presentLink(row), positions: row.positions })),
  };
}
