// The list of subscribers: a page by search, filter and sort, with the exact total.
import { readAccount } from '#areas/accounts/server/index.ts';
import { compileConditions, readCountingContext } from '#areas/segments/server/index.ts';
import {
  combinePredicates,
  countChosen,
  searchCondition,
  type SubscriberPredicate,
} from '#areas/subscribers/server/index.ts';
import { parseFilter } from '#areas/segments/filter-grammar.ts';
import type { ListRequest } from '#platform/contract.ts';
import { clock } from '#platform/server/clock.ts';
import type { Reader } from '#platform/server/database/database.ts';
import { toListMeta, toSlice, truncatedListMeta } from '#platform/server/database/lists.ts';
import * as store from './list.sql.ts';
import { presentSubscribers, withEngagement } from './present.ts';

type Query = {
  list: ListRequest<'title' | 'created' | 'modified'>;
  filter?: string | undefined;
  engagement?: 'true' | undefined;
};

/**
 * Lists subscribers. Malformed and unresolvable conditions are ignored.
 */
export async function listSubscribers(db: Reader, accountId: number, query: Query) {
  const { list } = query;
  const slice = toSlice(list);
  const { where, counted } = await whereOf(db, accountId, query);
  const total = counted
    ? await cachedCount(db, accountId, `${query.filter ?? ''}\n${list.search ?? ''}`, counted)
    : (await readAccount(db, accountId)).subscriber_count;
  const ids =
    slice.offset >= total
      ? []
      : where
        ? await store.listFilteredIds(db, accountId, where, list, slice)
        : await store.listPageIds(db, accountId, list, slice, total);
  const presented = await presentSubscribers(db, accountId, ids);
  const data = query.engagement ? await withEngagement(db, accountId, presented) : presented;
  if (!list.isUnpaginated) return { data, meta: toListMeta(list, total, data.length) };
  // A request for all rows must show whether there are more.
  const meta = truncatedListMeta(list, total, data.length);
  return meta ? { data, meta } : { data };
}

/** Returns the conditions in two forms: one is fast for a page, the other for a count. */
async function whereOf(db: Reader, accountId: number, query: Query) {
  const search = searchCondition(query.list.search);
  const { conditions } = parseFilter(query.filter ?? '');
  if (conditions.length === 0) return { where: search, counted: search };
  const context = await readCountingContext(db, accountId, conditions);
  const page = compileConditions(conditions, { ...context, usesBitmaps: false }).where;
  const where = combinePredicates(page, search);
  return { where, counted: search ? where : compileConditions(conditions, context).where };
}

/**
 * Counts that take longer than this are cached for a while, or until subscribers of the account
 * change.
 */
const SLOW_LIST_MS = 100;
const CACHE_MS = 20_000;
const countCache = new Map<string, { total: number; expiresAt: number }>();

async function cachedCount(
  db: Reader,
  accountId: number,
  term: string,
  where: NonNullable<SubscriberPredicate>,
): Promise<number> {
  const key = `${accountId}\n${term}`;
  const now = clock.now().getTime();
  const cached = countCache.get(key);
  if (cached && cached.expiresAt > now) return cached.total;
  const total = await countChosen(db, accountId, where);
  const elapsed = clock.now().getTime() - now;
  if (elapsed > SLOW_LIST_MS) {
    if (countCache.size > 1000) countCache.clear();
    countCache.set(key, { total, expiresAt: now + elapsed + CACHE_MS });
  }
  return total;
}

/** Drops an account's cached counts after its subscribers changed. */
export function clearCounts(accountId: number): void {
  for (const key of countCache.keys()) if (key.startsWith(`${accountId}\n`)) countCache.delete(key);
}
