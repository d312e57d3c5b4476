// SQL of all accounts at once: for the operator's page alone, without a lock.
import { type RawBuilder, sql } from 'kysely';
import type { Reader } from '#platform/server/database.ts';
import { containing } from '#platform/server/like.ts';
import type { Slice } from '#platform/server/lists.ts';

export type ListedAccount = {
  id: number;
  title: string;
  /** Of the member who was there first; null where nobody is left. */
  email: string | null;
  subscriber_count: number;
  created_at: Date;
};

export type AccountsWish = {
  order: 'created' | 'title' | 'subscribers';
  direction: 'asc' | 'desc';
  search: string | undefined;
};

const COLUMNS = { created: 'created_at', title: 'title', subscribers: 'subscriber_count' } as const;

/** By its name, or the address of one of its people. */
function matching(search: string | undefined): RawBuilder<boolean> {
  if (!search) return sql<boolean>`true`;
  const pattern = containing(search.toLowerCase());
  return sql<boolean>`(lower(a.title) like ${pattern} or exists (
    select 1 from memberships m join users u on u.id = m.user_id
    where m.account_id = a.id and u.email_key like ${pattern}))`;
}

export async function listAccounts(
  db: Reader,
  wish: AccountsWish,
  slice: Slice,
): Promise<ListedAccount[]> {
  const way = wish.direction === 'asc' ? sql`asc` : sql`desc`;
  const { rows } = await sql<ListedAccount>`
    select a.id, a.title, a.subscriber_count, a.created_at, (
      select u.email from memberships m join users u on u.id = m.user_id
      where m.account_id = a.id order by m.created_at, u.id limit 1) as email
    from accounts a where ${matching(wish.search)}
    order by a.${sql.ref(COLUMNS[wish.order])} ${way}, a.id ${way}
    limit ${slice.limit} offset ${slice.offset}`.execute(db);
  return rows;
}

export async function countAccounts(db: Reader, search: string | undefined): Promise<number> {
  const { rows } = await sql<{ total: number }>`
    select count(*) as total from accounts a where ${matching(search)}`.execute(db);
  return rows[0]?.total ?? 0;
}
