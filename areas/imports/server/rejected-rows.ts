// Rejected rows: written by COPY, served as a CSV file with reasons, deleted after their retention.
import { Readable } from 'node:stream';
import { clock } from '#platform/server/clock.ts';
import { csvLine } from '#platform/server/files/csv.ts';
import { type Db, inTransaction } from '#platform/server/database/database.ts';
import type { ServerText } from '#platform/server/texts.ts';
import { REJECTED_DAYS } from '../shared.ts';
import * as store from './imports.sql.ts';
import type { RowIssue } from './person-rows.ts';
import { RowScanner } from './reading/rows.ts';

/** Rejected rows as lines in COPY's text format. */
export function* rejectionLines(
  accountId: number,
  importId: number,
  issues: readonly RowIssue[],
): Generator<Buffer> {
  for (let at = 0; at < issues.length; at += 500) {
    const lines = issues
      .slice(at, at + 500)
      .map(
        (issue) =>
          `${accountId}\t${importId}\t${issue.row}\t${issue.isRejected}\t${escaped(issue.reason)}\t${issue.columnTitle === null ? '\\N' : escaped(issue.columnTitle)}\t${escaped(issue.rowText)}\n`,
      );
    yield Buffer.from(lines.join(''));
  }
}

function escaped(text: string): string {
  return text
    .replaceAll('\\', '\\\\')
    .replaceAll('\t', '\\t')
    .replaceAll('\n', '\\n')
    .replaceAll('\r', '\\r');
}

const livesMs = REJECTED_DAYS * 86_400_000;

/**
 * Expiry of the rejected rows; undefined if there are none, if they have expired, and during the
 * import.
 */
export function rejectedUntil(row: store.ImportRow): Date | undefined {
  const hasAny = row.rejected_count + row.noted_count > 0;
  if (!hasAny || row.finished_at === null || isRejectedOver(row)) return undefined;
  return new Date(row.finished_at.getTime() + livesMs);
}

/**
 * Whether the rejected rows of the import have expired, so that they are deleted or will be within
 * the hour.
 */
export function isRejectedOver({ finished_at: finishedAt }: store.ImportRow): boolean {
  return finishedAt !== null && finishedAt.getTime() + livesMs <= clock.now().getTime();
}

const DELETED_AT_ONCE = 10_000;

/** Deletes expired rejected rows of one account; their count remains. */
export async function deleteRejected(db: Db, accountId: number): Promise<void> {
  const before = new Date(clock.now().getTime() - livesMs);
  for (const importId of await store.importsWithOldRejections(db, accountId, before))
    for (let deleted = DELETED_AT_ONCE; deleted === DELETED_AT_ONCE; )
      deleted = await inTransaction(db, (tx) =>
        store.deleteRejections(tx, accountId, importId, DELETED_AT_ONCE),
      );
}

const PAGE_SIZE = 2000;

/** The rows with their reasons as CSV (RFC 4180 with a BOM for spreadsheets), page by page. */
export function rejectedCsv(
  db: Db,
  row: { account_id: number; id: number },
  titles: readonly string[],
  texts: ServerText,
): Readable {
  async function* lines(): AsyncGenerator<string> {
    const own = ['row', 'result', 'reason', 'column'].map((key) => texts(`rejected.${key}`));
    yield `\ufeff${csvLine([...own, ...titles])}`;
    let after = 0;
    for (;;) {
      const page = await store.rejectionsAfter(db, row.account_id, row.id, after, PAGE_SIZE);
      if (page.length === 0) return;
      after = page.at(-1)?.row_number ?? after;
      yield page.map((row) => lineOf(row, texts)).join('');
    }
  }
  return Readable.from(lines());
}

function lineOf(row: store.RejectionRow, texts: ServerText): string {
  const reasons = row.reason.split(',').map((reason) => {
    const [code, detail] = reason.split(':', 2);
    return texts(`reasons.${code}`, { row: detail });
  });
  const cells = [
    String(row.row_number),
    texts(row.is_rejected ? 'rejected.rejected' : 'rejected.noted'),
    reasons.join(' '),
    row.column_title ?? '',
    ...cellsOf(row.row_text),
  ];
  return csvLine(cells);
}

function cellsOf(text: string): string[] {
  const cells: string[] = [];
  const scanner = new RowScanner(',', (row) => cells.push(...row.cells));
  scanner.write(text);
  scanner.end();
  return cells;
}
