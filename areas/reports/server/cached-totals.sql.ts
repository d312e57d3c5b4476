// Queries for cached sums. Their computation reads every recipient of a message, which is slow for
// large messages.
import { sql } from 'kysely';
import type { Reader, Tx } from '#platform/server/database/database.ts';

export async function readCachedTotals(
  db: Reader,
  accountId: number,
  messageId: number,
  aspect: string,
): Promise<{ computed_at: Date; rows: unknown } | undefined> {
  return db
    .selectFrom('report_sums')
    .select(['computed_at', 'rows'])
    .where('account_id', '=', accountId)
    .where('message_id', '=', messageId)
    .where('aspect', '=', aspect)
    .executeTakeFirst();
}

/** Reads stored sums by message; messages without stored sums are absent. */
export async function readManyCachedTotals(
  db: Reader,
  accountId: number,
  messageIds: readonly number[],
  aspect: string,
): Promise<Map<number, { computed_at: Date; rows: unknown }>> {
  const { rows } = await sql<{ message_id: number; computed_at: Date; rows: unknown }>`
    select message_id, computed_at, rows from report_sums
    where account_id = ${accountId} and message_id = any(${[...messageIds]}::bigint[])
      and aspect = ${aspect}`.execute(db);
  return new Map(rows.map((row) => [row.message_id, row]));
}

export async function saveCachedTotals(
  tx: Tx,
  accountId: number,
  messageId: number,
  aspect: string,
  rows: unknown,
  at: Date,
): Promise<void> {
  await sql`insert into report_sums (account_id, message_id, aspect, computed_at, rows)
    values (${accountId}, ${messageId}, ${aspect}, ${at}, ${JSON.stringify(rows)}::jsonb)
    on conflict (account_id, message_id, aspect)
    do update set computed_at = excluded.computed_at, rows = excluded.rows`.execute(tx);
}
