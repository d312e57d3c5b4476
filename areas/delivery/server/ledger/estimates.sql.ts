// Updates PostgreSQL's statistics of recipients while an account's first large audience is written.
import { sql } from 'kysely';
import type { Db } from '#platform/server/database/database.ts';
import { analyzeAccountTable, explainStatement } from '#platform/server/database/query-plan.sql.ts';

const LARGE_ABOVE_ROWS = 10_000;

/**
 * Analyzes the table of recipients if the planner expects that the account has fewer rows than a
 * tenth of the message's recipients. Sending starts while there are few rows, and a plan for few
 * rows reads all of them in each step. PostgreSQL would use that plan until autovacuum analyzes the
 * table, which may take minutes: with 300,000 recipients, 80 emails per second were sent instead of
 * 600.
 */
export async function refreshLedgerEstimates(
  db: Db,
  accountId: number,
  messageId: number,
): Promise<void> {
  const { rows } = await sql<{ written: number }>`
    select coalesce(sum(audience), 0)::bigint as written from delivery_counts
    where account_id = ${accountId} and message_id = ${messageId}`.execute(db);
  const rowCount = rows[0]?.written ?? 0;
  if (rowCount <= LARGE_ABOVE_ROWS) return;
  const plan = await explainStatement(
    db,
    sql`select 1 from recipients where account_id = ${accountId}`,
  );
  if (plan && plan['Plan Rows'] * 10 < rowCount)
    await analyzeAccountTable(db, 'recipients', accountId);
}
