// Report of a transactional email: figures by period, and lists of people.
import type { Readable } from 'node:stream';
import { readAccount } from '#areas/accounts/server/index.ts';
import { encodeId, encodePublicId } from '#platform/ids.ts';
import { csvStream } from '#platform/server/files/csv.ts';
import type { Reader } from '#platform/server/database/database.ts';
import { invalid } from '#platform/server/errors.ts';
import type { ServerText } from '#platform/server/texts.ts';
import type { ActivityRow } from '../contract.ts';
import type { Activity, Period } from '../shared.ts';
import { emailRow } from './emails.ts';
import { type ActivityEntry, type FigureRow, listActivity, readPeriods } from './emails.sql.ts';

const NAMES = ['sent', 'delivered', 'opens', 'clicks', 'bounces', 'unsubscribes', 'spam'] as const;

/**
 * Days are in the account's time zone, both ends inclusive. Errors: `not_found`; 422 for reversed
 * dates.
 */
export async function reportOf(
  db: Reader,
  accountId: number,
  id: number,
  span: { from: string; to: string; period: Period },
) {
  await emailRow(db, accountId, id);
  if (span.from > span.to) throw invalid({ to: ['errors.fields.choice'] });
  const { timezone } = await readAccount(db, accountId);
  const periods = await readPeriods(db, accountId, id, { ...span, zone: timezone });
  const total = Object.fromEntries(
    NAMES.map((name) => [name, periods.reduce((sum, one) => sum + one[name], 0)]),
  ) as FigureRow;
  return { total, periods };
}

const PAGE = 5_000;
const COLUMNS = ['email', 'at', 'url', 'reason', 'reply'] as const;

/** All rows of a kind as CSV with the texts of `t`; events during the export come last. */
export async function exportActivity(
  db: Reader,
  accountId: number,
  id: number,
  kind: Activity,
  t: ServerText,
): Promise<Readable> {
  await emailRow(db, accountId, id);
  const filter = { id, kind, search: undefined };
  async function* pages() {
    for (let offset = 0; ; offset += PAGE) {
      const rows = await listActivity(db, accountId, filter, 'asc', { limit: PAGE, offset });
      yield rows.map((row) => {
        const shown = presentActivity(accountId, row);
        return COLUMNS.map((column) => shown[column] ?? '');
      });
      if (rows.length < PAGE) return;
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
