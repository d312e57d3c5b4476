// SQL of accounts' own relays.
import { type Insertable, type Selectable, sql } from 'kysely';
import { accountTable } from '#platform/server/database/account-table.sql.ts';
import type { DB } from '#platform/server/database/database.generated.ts';
import { acrossAccounts } from '#platform/server/database/across-accounts.sql.ts';
import type { Db, Reader, Tx } from '#platform/server/database/database.ts';
import type { RelayHealth } from '../../relay-limits.ts';

export type RelayRow = Selectable<DB['relays']>;
export type NewRelay = Insertable<DB['relays']>;

export function listRelays(db: Reader, accountId: number): Promise<RelayRow[]> {
  return db
    .selectFrom('relays')
    .selectAll()
    .where('account_id', '=', accountId)
    .orderBy('priority')
    .orderBy('id')
    .execute();
}

export const {
  find: findRelay,
  updateReturning: updateRelay,
  delete: deleteRelay,
} = accountTable('relays', 'id');

export function insertRelay(tx: Tx, relay: NewRelay): Promise<RelayRow> {
  return tx.insertInto('relays').values(relay).returningAll().executeTakeFirstOrThrow();
}

/** Saves the state of a relay; the start of the state changes only with the state. */
export async function saveHealth(
  db: Db,
  accountId: number,
  id: number,
  health: { state: RelayHealth; code: string | null; reply: string | null; at: Date },
): Promise<void> {
  await sql`
    update relays set
      health_since = case when health = ${health.state} then health_since else ${health.at} end,
      health = ${health.state}, health_at = ${health.at}, health_code = ${health.code},
      health_reply = ${health.reply}
    where account_id = ${accountId} and id = ${id}`.execute(db);
}

/**
 * Accounts with their own relays and work that may be due: across all accounts, once a second, in
 * pages; or those up to one of them.
 */
export async function accountsWithOwnWork(
  db: Reader,
  now: Date,
  page: { after: number; upto?: number; size: number },
): Promise<number[]> {
  const rows = await acrossAccounts(
    db,
    (within) => sql<{ account_id: number }>`
    select distinct account_id from relays r
    where r.is_on and ${within(sql`r.account_id`)} and r.account_id > ${page.after}
      and r.account_id <= ${page.upto ?? Number.MAX_SAFE_INTEGER} and (
      exists (select 1 from messages m where m.account_id = r.account_id and ${within(sql`m.account_id`)}
        and m.state in ('preparing', 'sending', 'waiting') and m.frozen_hash is null
        and m.channel = 'email' and (m.held_until is null or m.held_until <= ${now}
          or exists (select 1 from deferrals d where d.account_id = r.account_id and ${within(sql`d.account_id`)}
            and d.message_id = m.id and d.next_attempt_at <= ${now})))
      or exists (select 1 from single_sends s where s.account_id = r.account_id and ${within(sql`s.account_id`)}
        and s.channel = 'email' and s.state in ('pending', 'deferred', 'handing_over')
        and s.next_attempt_at <= ${now}))
    order by account_id limit ${page.size}`,
  );
  return rows.map((row) => row.account_id);
}
