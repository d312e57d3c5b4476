// A subscriber's paginated history. The cursor is the instant of the last shown event and the
// number of events already shown at that instant.
import { encodeId } from '#platform/ids.ts';
import { clock } from '#platform/server/clock.ts';
import type { Reader } from '#platform/server/database/database.ts';
import { invalid } from '#platform/server/errors.ts';
import { readSubscriber } from '#areas/subscribers/server/index.ts';
import type { ExportedEvent, HistoryEvent } from '../contract.ts';
import { DEFAULT_HISTORY_ACTIONS, HISTORY_ACTIONS, type HistoryAction } from '../shared.ts';
import { type HistoryRow, readHistory } from './history.sql.ts';

/**
 * Parses a comma-separated list, a JSON array or a repeated parameter.
 * @throws AppError invalid for an unknown kind
 */
export function parseActions(input: string | string[] | undefined): readonly HistoryAction[] {
  const tokens = (Array.isArray(input) ? input : [input ?? ''])
    .flatMap((text) => text.split(/[\s,.[\]"']+/))
    .filter(Boolean);
  if (tokens.length === 0) return DEFAULT_HISTORY_ACTIONS;
  const actions = HISTORY_ACTIONS.filter((action) => tokens.includes(action));
  if (actions.length < new Set(tokens).size) throw invalid({ actions: ['errors.fields.choice'] });
  return actions;
}

const EXPORT_PAGE_ROWS = 1000;

type Cursor = { at: Date; shownCount: number };

function readCursor(text: string | undefined): Cursor | undefined {
  const [, milliseconds, shown] = /^(\d{1,15})-(\d{1,6})$/.exec(text ?? '') ?? [];
  if (!milliseconds || !shown) return undefined;
  return { at: new Date(Number(milliseconds)), shownCount: Number(shown) };
}

type Query = {
  actions?: string | string[] | undefined;
  limit: number;
  after?: string | undefined;
};

export async function listEvents(
  db: Reader,
  accountId: number,
  id: number,
  query: Query,
): Promise<{ data: HistoryEvent[]; meta: { next: string | null } }> {
  await readSubscriber(db, accountId, id);
  const { page, next } = await readPage(db, accountId, id, query);
  return { data: page.map(present), meta: { next } };
}

async function readPage(
  db: Reader,
  accountId: number,
  id: number,
  query: Query,
): Promise<{ page: HistoryRow[]; next: string | null }> {
  // Includes events slightly in the future, because a relay's clock may be ahead.
  const tomorrow = new Date(clock.now().getTime() + 86_400_000);
  const cursor = readCursor(query.after) ?? { at: tomorrow, shownCount: 0 };
  const rows = await readHistory(db, accountId, id, {
    actions: parseActions(query.actions),
    until: cursor.at,
    limit: cursor.shownCount + query.limit + 1,
  });
  const page = rows.slice(cursor.shownCount, cursor.shownCount + query.limit);
  const hasMore = rows.length > cursor.shownCount + query.limit;
  const lastAt = page.at(-1)?.at;
  const shownRows = lastAt
    ? rows.slice(0, cursor.shownCount + page.length).filter((row) => +row.at === +lastAt)
    : [];
  return { page, next: hasMore && lastAt ? `${lastAt.getTime()}-${shownRows.length}` : null };
}

/** Returns all events with all stored details, for the subscriber's own data export. */
export async function readFullHistory(
  db: Reader,
  accountId: number,
  id: number,
): Promise<ExportedEvent[]> {
  const events: ExportedEvent[] = [];
  let after: string | undefined;
  do {
    const { page, next } = await readPage(db, accountId, id, {
      actions: [...HISTORY_ACTIONS],
      limit: EXPORT_PAGE_ROWS,
      after,
    });
    for (const row of page)
      events.push({ ...present(row), ip_address: row.ip, user_agent: row.user_agent });
    after = next ?? undefined;
  } while (after !== undefined);
  return events;
}

function presentCampaign(kind: string, sourceId: number): string | null {
  if (kind === 'campaign') return encodeId('campaign', sourceId);
  return kind === 'sms_campaign' ? encodeId('sms', sourceId) : null;
}

function present(row: HistoryRow): HistoryEvent {
  return {
    action: row.action,
    at: row.at.toISOString(),
    channel: row.channel,
    message:
      row.message_id === null || row.message_kind === null
        ? null
        : {
            id: encodeId('message', row.message_id),
            kind: row.message_kind,
            subject: row.subject,
            campaign:
              row.source_id === null ? null : presentCampaign(row.message_kind, row.source_id),
          },
    url: row.url,
    detail: row.detail,
  };
}
