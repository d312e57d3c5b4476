// Row issues: the rows of a file that were rejected, or imported without some of their values. They
// are written by COPY, served as a CSV file with the reasons, and deleted after their retention.
import { Readable } from 'node:stream';
import { clock } from '#platform/server/clock.ts';
import { type Db, inTransaction } from '#platform/server/database/database.ts';
import { formatCsvLine } from '#platform/server/files/csv.ts';
import type { ServerText } from '#platform/server/texts.ts';
import { REJECTED_DAYS } from '../shared.ts';
import type { RowIssue } from './import-records.ts';
import * as store from './imports.sql.ts';
import { RowScanner } from './reading/rows.ts';

/** Row issues as lines in COPY's text format. */
export function* formatRowIssueLines(
  accountId: number,
  importId: number,
  issues: readonly RowIssue[],
): Generator<Buffer> {
  for (let offset = 0; offset < issues.length; offset += 500) {
    const lines = issues
      .slice(offset, offset + 500)
      .map(
        (issue) =>
          `${accountId}\t${importId}\t${issue.row}\t${issue.isRejected}\t${escapeCopyText(issue.reason)}\t${issue.columnTitle === null ? '\\N' : escapeCopyText(issue.columnTitle)}\t${escapeCopyText(issue.rowText)}\n`,
      );
    yield Buffer.from(lines.join(''));
  }
}

function escapeCopyText(text: string): string {
  return text
    .replaceAll('\\', '\\\\')
    .replaceAll('\t', '\\t')
    .replaceAll('\n', '\\n')
    .replaceAll('\r', '\\r');
}

const RETENTION_MS = REJECTED_DAYS * 86_400_000;

/**
 * Returns when the row issues expire, or undefined if there are none, if they have expired, or
 * while the import runs.
 */
export function getRowIssuesExpiry(row: store.ImportRow): Date | undefined {
  const hasAny = row.rejected_count + row.noted_count > 0;
  if (!hasAny || row.finished_at === null || areRowIssuesExpired(row)) return undefined;
  return new Date(row.finished_at.getTime() + RETENTION_MS);
}

/** Returns whether the row issues have expired; expired ones are deleted within an hour. */
export function areRowIssuesExpired({ finished_at: finishedAt }: store.ImportRow): boolean {
  return finishedAt !== null && finishedAt.getTime() + RETENTION_MS <= clock.now().getTime();
}

const DELETE_BATCH_ROWS = 10_000;

/** Deletes the expired row issues of one account; the counts of the imports remain. */
export async function deleteExpiredRowIssues(db: Db, accountId: number): Promise<void> {
  const before = new Date(clock.now().getTime() - RETENTION_MS);
  for (const importId of await store.listImportsWithExpiredRowIssues(db, accountId, before))
    for (let deletedCount = DELETE_BATCH_ROWS; deletedCount === DELETE_BATCH_ROWS; )
      deletedCount = await inTransaction(db, (tx) =>
        store.deleteRowIssues(tx, accountId, importId, DELETE_BATCH_ROWS),
      );
}

const PAGE_SIZE = 2000;

/**
 * Returns the rows and their reasons as CSV (RFC 4180 with a BOM for spreadsheets), page by page.
 */
export function streamRowIssuesCsv(
  db: Db,
  row: { account_id: number; id: number },
  titles: readonly string[],
  t: ServerText,
): Readable {
  async function* generateLines(): AsyncGenerator<string> {
    const issueTitles = ['row', 'result', 'reason', 'column'].map((key) => t(`rejected.${key}`));
    yield `\ufeff${formatCsvLine([...issueTitles, ...titles])}`;
    let after = 0;
    for (;;) {
      const page = await store.listRowIssuesAfter(db, row.account_id, row.id, after, PAGE_SIZE);
      if (page.length === 0) return;
      after = page.at(-1)?.row_number ?? after;
      yield page.map((row) => formatLine(row, t)).join('');
    }
  }
  return Readable.from(generateLines());
}

function formatLine(row: store.RowIssueRow, t: ServerText): string {
  const reasons = row.reason.split(',').map((reason) => {
    const [code, detail] = reason.split(':', 2);
    return t(`reasons.${code}`, { row: detail });
  });
  const cells = [
    String(row.row_number),
    t(row.is_rejected ? 'rejected.rejected' : 'rejected.noted'),
    reasons.join(' '),
    row.column_title ?? '',
    ...parseCells(row.row_text),
  ];
  return formatCsvLine(cells);
}

function parseCells(text: string): string[] {
  const cells: string[] = [];
  const scanner = new RowScanner(',', (row) => cells.push(...row.cells));
  scanner.write(text);
  scanner.end();
  return cells;
}
