// In-process limits for anonymous posts: checked before the body is read, so a refusal is cheap.
export type Throttle = (key: string | number, now: number) => boolean;

/** One bucket per key; the fullest are evicted first, since a new bucket is full anyway. */
const MAX_KEYS = 50_000;

/** False if the key is over its limit. */
export function newThrottle({
  capacity,
  perSecond,
}: {
  capacity: number;
  perSecond: number;
}): Throttle {
  const buckets = new Map<string | number, { left: number; at: number }>();
  return (key, now) => {
    const bucket = buckets.get(key);
    const remaining = bucket
      ? Math.min(capacity, bucket.left + ((now - bucket.at) / 1_000) * perSecond)
      : capacity;
    // The newest buckets are last.
    buckets.delete(key);
    if (buckets.size >= MAX_KEYS) buckets.delete(buckets.keys().next().value as string);
    buckets.set(key, { left: remaining < 1 ? remaining : remaining - 1, at: now });
    return remaining >= 1;
  };
}
