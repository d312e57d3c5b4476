// Lists the subscribers with an action in a campaign, in pages and as a file.
import type { Readable } from 'node:stream';
import { readEach } from '#areas/broadcasts/server/index.ts';
import type { ListRequest } from '#platform/contract.ts';
import { encodeId } from '#platform/ids.ts';
import { csvStream } from '#platform/server/files/csv.ts';
import type { Db, Reader } from '#platform/server/database/database.ts';
import { notFound } from '#platform/server/errors.ts';
import { buildListResponse } from '#platform/server/database/lists.ts';
import type { ServerText } from '#platform/server/texts.ts';
import type { RecipientAction } from '../contract.ts';
import type { ReportAction } from '../shared.ts';
import {
  listActionsAfter,
  type RecipientActionRow,
  type ActionSet,
  countActions,
  readActions,
} from './actions.sql.ts';
import { readReportedCampaign } from './overview.ts';
import { findLink } from './reports.sql.ts';

type List = ListRequest<'at' | 'email'>;

export async function listActions(
  db: Reader,
  accountId: number,
  campaignId: number,
  query: { list: List; action: ReportAction; variant?: number | undefined },
) {
  const { messageIds } = await readReportedCampaign(db, accountId, campaignId, query.variant);
  return paginateActions(db, { accountId, messageIds, action: query.action }, query.list);
}

/**
 * Lists the subscribers who clicked one link.
 * @throws `not_found` if the campaign or the link does not exist; `not_sent_yet`
 */
export async function listLinkClicks(
  db: Reader,
  accountId: number,
  campaignId: number,
  position: number,
  { list, variant }: { list: List; variant?: number | undefined },
) {
  const { messageIds } = await readReportedCampaign(db, accountId, campaignId, variant);
  const link = await findLink(db, accountId, messageIds, position);
  if (!link) throw notFound();
  return paginateActions(
    db,
    { accountId, messageIds, action: 'link', positions: link.positions },
    list,
  );
}

function paginateActions(db: Reader, set: ActionSet, list: List) {
  return buildListResponse(
    list,
    {
      rows: (slice) => readActions(db, set, list, slice),
      total: async () =>
        (list.search === undefined ? await knownTotal(db, set) : undefined) ??
        countActions(db, set, list.search),
    },
    presentAction,
  );
}

/**
 * Returns the total of a long list from counters, so that no page counts a million rows. Returns
 * undefined if there is no such counter.
 */
async function knownTotal(db: Reader, set: ActionSet): Promise<number | undefined> {
  if (set.action !== 'opens' && set.action !== 'clicks' && set.action !== 'unopens') {
    return undefined;
  }
  const all = [...(await readEach(db, set.accountId, set.messageIds)).values()];
  const sumEngagement = (name: 'unique_opens' | 'unique_clicks' | 'returned') =>
    all.reduce((total, { engagement }) => total + (engagement?.[name] ?? 0), 0);
  if (set.action === 'opens') return sumEngagement('unique_opens');
  if (set.action === 'clicks') return sumEngagement('unique_clicks');
  // The difference is exact only if every copy's outcome is known and no bounced copy was opened.
  const isUnknown = all.some(({ delivery }) => delivery.counts.unknown > 0);
  if (all.length === 0 || isUnknown || sumEngagement('returned') > 0) return undefined;
  const acceptedCount = all.reduce((total, { delivery }) => total + delivery.counts.accepted, 0);
  return Math.max(0, acceptedCount - sumEngagement('unique_opens'));
}

function presentAction(row: RecipientActionRow): RecipientAction {
  return {
    subscriber: row.is_known
      ? {
          id: encodeId('subscriber', row.subscriber_id),
          email: row.email,
          firstname: row.firstname,
          lastname: row.lastname,
        }
      : null,
    at: row.at.toISOString(),
    count: row.count,
    is_human: row.is_human,
    code: row.code,
    reply: row.reply,
    reason: row.reason,
  };
}

const ROWS_PER_PAGE = 5000;
type ActionColumn =
  | 'email'
  | 'firstname'
  | 'lastname'
  | 'at'
  | 'count'
  | 'by'
  | 'code'
  | 'reply'
  | 'reason';
const SUBSCRIBER_COLUMNS: ActionColumn[] = ['email', 'firstname', 'lastname', 'at'];
const COLUMNS: Record<ReportAction, ActionColumn[]> = {
  opens: [...SUBSCRIBER_COLUMNS, 'count', 'by'],
  clicks: [...SUBSCRIBER_COLUMNS, 'count', 'by'],
  unopens: SUBSCRIBER_COLUMNS,
  hard_bounces: [...SUBSCRIBER_COLUMNS, 'code', 'reply'],
  soft_bounces: [...SUBSCRIBER_COLUMNS, 'code', 'reply'],
  unsubscribes: SUBSCRIBER_COLUMNS,
  complaints: SUBSCRIBER_COLUMNS,
  not_sent: [...SUBSCRIBER_COLUMNS, 'reason', 'code', 'reply'],
};

/** Exports the whole list as CSV, with the strings of `t`. */
export async function exportActions(
  db: Db,
  accountId: number,
  campaignId: number,
  { action, variant }: { action: ReportAction; variant?: number | undefined },
  t: ServerText,
): Promise<Readable> {
  const { messageIds } = await readReportedCampaign(db, accountId, campaignId, variant);
  const columns = COLUMNS[action];
  const set: ActionSet = { accountId, messageIds, action };
  return csvStream(
    columns.map((column) => t(`export.${column}`)),
    pagesOf(db, set, (row) => columns.map((column) => cellOf(row, column, t))),
  );
}

async function* pagesOf(db: Db, set: ActionSet, lineOf: (row: RecipientActionRow) => string[]) {
  for (let after = -1; ; ) {
    const rows = await listActionsAfter(db, set, after, ROWS_PER_PAGE);
    const last = rows.at(-1);
    if (!last) return;
    after = last.subscriber_id;
    yield rows.map(lineOf);
  }
}

function cellOf(row: RecipientActionRow, column: ActionColumn, t: ServerText): string {
  switch (column) {
    case 'at':
      return row.at.toISOString();
    case 'by':
      return t(row.is_human ? 'export.person' : 'export.machine');
    case 'reason':
      return row.reason ? t(`reasons.${row.reason}`, { defaultValue: row.reason }) : '';
    default:
      return String(row[column] ?? '');
  }
}
