// Report of a template, or of all emails without one: statistics by period, the recipients of each
// kind of activity, and each email sent.
import type { Readable } from 'node:stream';
import { readAccount } from '#areas/accounts/server/index.ts';
import { readSentSingle } from '#areas/delivery/server/ledger/index.ts';
import { decodePublicId, encodeId, encodePublicId } from '#platform/ids.ts';
import { csvStream } from '#platform/server/files/csv.ts';
import { type Db, inTransaction, type Reader } from '#platform/server/database/database.ts';
import { invalid, notFound } from '#platform/server/errors.ts';
import type { ServerText } from '#platform/server/texts.ts';
import type { ActivityRow, SentEmail } from '../contract.ts';
import type { TransactionalActivity, Period } from '../shared.ts';
import { requireReported } from './emails.ts';
import {
  type ActivityEntry,
  type FigureRow,
  findSent,
  listActivity,
  readPeriods,
  type SentEmailRow,
} from './emails.sql.ts';

const NAMES = ['sent', 'delivered', 'opens', 'clicks', 'bounces', 'unsubscribes', 'spam'] as const;

/**
 * Builds totals and statistics by period, from the first to the last day inclusive, in the
 * account's time zone.
 * @throws `not_found`; `invalid` for reversed dates
 */
export async function buildReport(
  db: Reader,
  accountId: number,
  id: number,
  span: { from: string; to: string; period: Period },
) {
  await requireReported(db, accountId, id);
  if (span.from > span.to) throw invalid({ to: ['errors.fields.choice'] });
  const { timezone } = await readAccount(db, accountId);
  const periods = await readPeriods(db, accountId, id, { ...span, zone: timezone });
  const total = Object.fromEntries(
    NAMES.map((name) => [name, periods.reduce((sum, period) => sum + period[name], 0)]),
  ) as FigureRow;
  return { total, periods };
}

const ROWS_PER_PAGE = 5_000;
const COLUMNS = ['email', 'at', 'url', 'reason', 'reply'] as const;

/**
 * Exports all entries for one kind of activity as CSV, oldest first, so that events during the
 * export come last.
 */
export async function exportActivity(
  db: Reader,
  accountId: number,
  id: number,
  kind: TransactionalActivity,
  t: ServerText,
): Promise<Readable> {
  await requireReported(db, accountId, id);
  const filter = { id, kind, search: undefined };
  async function* pages() {
    for (let offset = 0; ; offset += ROWS_PER_PAGE) {
      const rows = await listActivity(db, accountId, filter, 'asc', {
        limit: ROWS_PER_PAGE,
        offset,
      });
      yield rows.map((row) => {
        const entry = presentActivity(accountId, row);
        return COLUMNS.map((column) => entry[column] ?? '');
      });
      if (rows.length < ROWS_PER_PAGE) return;
    }
  }
  return csvStream(
    COLUMNS.map((column) => t(`export.${column}`)),
    pages(),
  );
}

export function presentActivity(accountId: number, row: ActivityEntry): ActivityRow {
  return {
    id: encodePublicId('email', accountId, row.id),
    email: row.email,
    subscriber: row.subscriber_id === null ? null : encodeId('subscriber', row.subscriber_id),
    at: row.at.toISOString(),
    url: row.url,
    reason: row.reason,
    reply: row.reply,
  };
}

/**
 * Reads a sent email, its content and its events.
 * @throws `not_found`
 */
export function readSentEmail(
  db: Db,
  accountId: number,
  id: number,
  emailId: string,
): Promise<SentEmail> {
  return inTransaction(db, async (tx) => {
    await requireReported(tx, accountId, id);
    const single = decodePublicId('email', emailId);
    if (single?.accountId !== accountId) throw notFound();
    const row = await findSent(tx, accountId, id, single.id);
    if (!row) throw notFound();
    const { message_id: messageId, subscriber_id: subscriberId } = row;
    const content = await readSentSingle(tx, accountId, { id: row.id, messageId, subscriberId });
    return {
      id: emailId,
      email: row.recipient,
      subscriber: subscriberId === null ? null : encodeId('subscriber', subscriberId),
      steps: stepsOf(row),
      content: content ?? null,
    };
  });
}

/** Final states; nothing more is attempted. */
const FINAL = ['accepted', 'failed', 'skipped', 'unknown'] as const;

function stepsOf(row: SentEmailRow): SentEmail['steps'] {
  const final = FINAL.find((state) => state === row.state);
  const outcome = final && {
    kind: final,
    at: row.finished_at ?? row.created_at,
    note: row.reply ?? row.reason,
  };
  const steps = [
    { kind: 'created' as const, at: row.created_at, note: null },
    ...(outcome ? [outcome] : []),
    { kind: 'opened' as const, at: row.opened_at, note: null },
    { kind: 'clicked' as const, at: row.clicked_at, note: null },
    { kind: 'returned' as const, at: row.returned_at, note: null },
    { kind: 'unsubscribed' as const, at: row.unsubscribed_at, note: null },
    { kind: 'complained' as const, at: row.complained_at, note: null },
  ];
  return steps
    .flatMap(({ at, ...step }) => (at ? [{ ...step, at: at.toISOString() }] : []))
    .toSorted((a, b) => a.at.localeCompare(b.at));
}
