// Counts of groups. They are always counted, never added up by the way, so they cannot drift; what took
// long to count (a million members: half a second) is kept for a moment.
import type { Reader } from '#platform/server/database.ts';
import { type Counts, countMembers } from './groups.sql.ts';

export const NOBODY: Counts = {
  recipient_count: 0,
  active_subscribers: 0,
  unsubscribed_count: 0,
  bounced_count: 0,
  phone_count: 0,
  active_phone_count: 0,
};

const SLOW_MS = 150;
const KEPT_MS = 15_000;
const MOST_KEPT = 20_000;
const kept = new Map<string, { counts: Counts; until: number }>();

const keyOf = (accountId: number, groupId: number) => `${accountId}:${groupId}`;

/** Counts by group; a group without members is nobody. */
export async function countsOf(
  db: Reader,
  accountId: number,
  ids: readonly number[],
): Promise<(id: number) => Counts> {
  const now = performance.now();
  const found = new Map<number, Counts>();
  for (const id of ids) {
    const one = kept.get(keyOf(accountId, id));
    if (one && one.until > now) found.set(id, one.counts);
  }
  const missing = ids.filter((id) => !found.has(id));
  const counted = await countMembers(db, accountId, missing);
  const took = performance.now() - now;
  for (const id of missing) {
    const counts = counted.get(id) ?? NOBODY;
    found.set(id, counts);
    if (took > SLOW_MS) keep(keyOf(accountId, id), counts, now + took + KEPT_MS);
  }
  return (id) => found.get(id) ?? NOBODY;
}

function keep(key: string, counts: Counts, until: number): void {
  if (kept.size >= MOST_KEPT) kept.clear();
  kept.set(key, { counts, until });
}

/** Members changed: count anew. */
export function forgetCounts(accountId: number): void {
  const prefix = `${accountId}:`;
  for (const key of kept.keys()) if (key.startsWith(prefix)) kept.delete(key);
}
