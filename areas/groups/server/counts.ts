// Counts the members of groups. The numbers are always counted and never incremented, so they cannot
// drift. The result of a slow count (half a second for a million members) is cached briefly.
import { afterCommit, type Db, type Reader } from '#platform/server/database/database.ts';
import { sendChangeHint } from '#platform/server/live/live.ts';
import { log } from '#platform/server/log.ts';
import { type GroupCounts, countMembers } from './groups.sql.ts';

export const NO_COUNTS: GroupCounts = {
  recipient_count: 0,
  active_subscribers: 0,
  unsubscribed_count: 0,
  bounced_count: 0,
  phone_count: 0,
  active_phone_count: 0,
};

const SLOW_COUNT_MS = 150;
const CACHE_MS = 15_000;
/** For groups of at least this size, a recent count is returned while a new one is computed. */
const LARGE_GROUP_MEMBERS = 100_000;
const MAX_STALE_MS = 10 * 60_000;
const MAX_CACHED = 20_000;

type CachedCounts = { counts: GroupCounts; countedAt: number; isFreshUntil: number };
const countCache = new Map<string, CachedCounts>();
const inProgress = new Set<string>();

const keyOf = (accountId: number, groupId: number) => `${accountId}:${groupId}`;

/**
 * Returns counts by group; a group without members has zeros. With `background`, expired counts of
 * large groups are returned as they are and recounted in the background; browsers are then notified
 * that there are new counts.
 */
export async function readGroupCounts(
  db: Reader,
  accountId: number,
  ids: readonly number[],
  background?: Db,
): Promise<(id: number) => GroupCounts> {
  const now = performance.now();
  const counts = new Map<number, GroupCounts>();
  const stale: number[] = [];
  for (const id of ids) {
    const cached = countCache.get(keyOf(accountId, id));
    if (cached === undefined) continue;
    const isFresh = cached.isFreshUntil > now;
    const mayBeStale =
      background &&
      cached.counts.recipient_count >= LARGE_GROUP_MEMBERS &&
      now - cached.countedAt < MAX_STALE_MS;
    if (isFresh || mayBeStale) counts.set(id, cached.counts);
    if (!isFresh && mayBeStale) stale.push(id);
  }
  const missing = ids.filter((id) => !counts.has(id));
  const freshCounts = await count(db, accountId, missing);
  for (const id of missing) counts.set(id, freshCounts.get(id) ?? NO_COUNTS);
  // Recounting outlives the call. If it ran in the call's transaction, its notifications would be
  // queued until that transaction commits, which would be over by then, and never be sent.
  if (background && stale.length > 0) afterCommit(() => void refresh(background, accountId, stale));
  return (id) => counts.get(id) ?? NO_COUNTS;
}

async function count(
  db: Reader,
  accountId: number,
  ids: readonly number[],
): Promise<Map<number, GroupCounts>> {
  const startedAt = performance.now();
  const counts = await countMembers(db, accountId, ids);
  const at = performance.now();
  const isSlow = at - startedAt > SLOW_COUNT_MS;
  for (const id of ids) {
    const key = keyOf(accountId, id);
    // `countedAt` is the start of the count, because members added during it may be missing.
    const entry = {
      counts: counts.get(id) ?? NO_COUNTS,
      countedAt: startedAt,
      isFreshUntil: at + CACHE_MS,
    };
    if (isSlow) cacheCounts(key, entry);
    // The result of an earlier, slower count may be outdated.
    else countCache.delete(key);
  }
  return counts;
}

async function refresh(db: Db, accountId: number, ids: readonly number[]): Promise<void> {
  const pending = ids.filter((id) => !inProgress.has(keyOf(accountId, id)));
  for (const id of pending) inProgress.add(keyOf(accountId, id));
  try {
    await count(db, accountId, pending);
    for (const id of pending) sendChangeHint(db, accountId, 'group', id);
  } catch (error) {
    log.warn('Could not count group members', { reason: (error as Error).message });
  } finally {
    for (const id of pending) inProgress.delete(keyOf(accountId, id));
  }
}

function cacheCounts(key: string, entry: CachedCounts): void {
  if (countCache.size >= MAX_CACHED) countCache.clear();
  countCache.set(key, entry);
}

/**
 * Drops the account's cached counts because members changed. Counts of large groups are kept as
 * expired, so that they can be returned while they are counted again.
 */
export function clearCounts(accountId: number): void {
  const prefix = `${accountId}:`;
  for (const [key, cached] of countCache) {
    if (!key.startsWith(prefix)) continue;
    if (cached.counts.recipient_count < LARGE_GROUP_MEMBERS) countCache.delete(key);
    else cached.isFreshUntil = 0;
  }
}
