// Queries that delete old claimed provider events.
import { sql } from 'kysely';
import { acrossAccounts } from '#platform/server/database/across-accounts.sql.ts';
import type { Db, Reader } from '#platform/server/database/database.ts';

export async function deleteOldEvents(
  db: Db,
  accountId: number,
  before: Date,
  limit: number,
): Promise<number> {
  const { numAffectedRows } = await sql`
    with old as materialized (
      select provider, event_id from provider_events
      where account_id = ${accountId} and at < ${before} limit ${limit}
    )
    delete from provider_events e using old
    where e.account_id = ${accountId} and e.provider = old.provider
      and e.event_id = old.event_id`.execute(db);
  return Number(numAffectedRows ?? 0);
}

/** Returns a page of the accounts with provider events claimed before an instant. Takes no lock. */
export async function listAccountsWithOldEvents(
  db: Reader,
  before: Date,
  page: { after: number; size: number },
): Promise<number[]> {
  const rows = await acrossAccounts(
    db,
    (scope) => sql<{ account_id: number }>`
    select distinct account_id from provider_events
    where ${scope(sql`account_id`)} and at < ${before} and account_id > ${page.after}
    order by account_id limit ${page.size}`,
  );
  return rows.map((row) => row.account_id);
}
