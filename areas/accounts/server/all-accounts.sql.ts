// SQL across all accounts, only for the operator's page, and without locks. Accounts of an
// unavailable node are omitted.
import { type RawBuilder, sql } from 'kysely';
import {
  acrossAccounts,
  type AccountScope,
} from '#platform/server/database/across-accounts.sql.ts';
import type { Reader } from '#platform/server/database/database.ts';
import { toContainsPattern } from '#platform/server/database/like.ts';
import type { Slice } from '#platform/server/database/lists.ts';

export type ListedAccount = {
  id: number;
  title: string;
  /** The address of the member who joined first; null if the account has no member. */
  email: string | null;
  subscriber_count: number;
  created_at: Date;
};

export type AccountsQuery = {
  order: 'created' | 'title' | 'subscribers';
  direction: 'asc' | 'desc';
  search: string | undefined;
};

const COLUMNS = { created: 'created_at', title: 'title', subscribers: 'subscriber_count' } as const;

/** Matches the account's name or the address of a member. */
function matchesSearch(search: string | undefined, withinNodes: AccountScope): RawBuilder<boolean> {
  if (!search) return withinNodes(sql`a.id`);
  const pattern = toContainsPattern(search.toLowerCase());
  return sql<boolean>`${withinNodes(sql`a.id`)} and (lower(a.title) like ${pattern} or exists (
    select 1 from memberships m join users u on u.id = m.user_id
    where m.account_id = a.id and ${withinNodes(sql`m.account_id`)} and u.email_key like ${pattern}))`;
}

export async function listAccounts(
  db: Reader,
  query: AccountsQuery,
  slice: Slice,
): Promise<ListedAccount[]> {
  const direction = query.direction === 'asc' ? sql`asc` : sql`desc`;
  return acrossAccounts(
    db,
    (withinNodes) => sql<ListedAccount>`
    select a.id, a.title, a.subscriber_count, a.created_at, (
      select u.email from memberships m join users u on u.id = m.user_id
      where m.account_id = a.id and ${withinNodes(sql`m.account_id`)}
      order by m.created_at, u.id limit 1) as email
    from accounts a where ${matchesSearch(query.search, withinNodes)}
    order by a.${sql.ref(COLUMNS[query.order])} ${direction}, a.id ${direction}
    limit ${slice.limit} offset ${slice.offset}`,
  );
}

export async function countAccounts(db: Reader, search: string | undefined): Promise<number> {
  const rows = await acrossAccounts(
    db,
    (withinNodes) => sql<{ total: number }>`
    select count(*) as total from accounts a where ${matchesSearch(search, withinNodes)}`,
  );
  return rows[0]?.total ?? 0;
}
