// Queries for accounts' own relays.
import { type Insertable, type Selectable, sql } from 'kysely';
import { accountTable } from '#platform/server/database/account-table.sql.ts';
import type { DB } from '#platform/server/database/database.generated.ts';
import { acrossAccounts } from '#platform/server/database/across-accounts.sql.ts';
import type { Reader } from '#platform/server/database/database.ts';
import { outletTable } from './outlet-table.sql.ts';
import { createTextFinder, createTextRewriter } from '#platform/server/erasure/texts.sql.ts';

/** Finds the addresses of erased subscribers in user names of relays. */
export const findRelaysNaming = createTextFinder('relays', {
  kind: 'relay',
  columns: ['username'],
  title: 'title',
});

/** Removes the addresses of erased subscribers from titles of relays. */
export const rewriteRelays = createTextRewriter('relays');

export type RelayRow = Selectable<DB['relays']>;
export type NewRelay = Insertable<DB['relays']>;

export const {
  find: findRelay,
  updateReturning: updateRelay,
  delete: deleteRelay,
} = accountTable('relays', 'id');

export const { list: listRelays, insert: insertRelay, saveHealth } = outletTable('relays');

/**
 * Returns a page of accounts that have their own active relays and email that may be due. Runs once
 * per second.
 */
export async function listAccountsWithOwnWork(
  db: Reader,
  now: Date,
  page: { after: number; lastId?: number; size: number },
): Promise<number[]> {
  const rows = await acrossAccounts(
    db,
    (scope) => sql<{ account_id: number }>`
    select distinct account_id from relays r
    where r.is_on and ${scope(sql`r.account_id`)} and r.account_id > ${page.after}
      and r.account_id <= ${page.lastId ?? Number.MAX_SAFE_INTEGER} and (
      exists (select 1 from messages m where m.account_id = r.account_id and ${scope(sql`m.account_id`)}
        and m.state in ('preparing', 'sending', 'waiting') and m.frozen_hash is null
        and m.channel = 'email' and (m.held_until is null or m.held_until <= ${now}
          or exists (select 1 from deferrals d where d.account_id = r.account_id and ${scope(sql`d.account_id`)}
            and d.message_id = m.id and d.next_attempt_at <= ${now})))
      or exists (select 1 from single_sends s where s.account_id = r.account_id and ${scope(sql`s.account_id`)}
        and s.channel = 'email' and s.state in ('pending', 'deferred', 'handing_over')
        and s.next_attempt_at <= ${now}))
    order by account_id limit ${page.size}`,
  );
  return rows.map((row) => row.account_id);
}
