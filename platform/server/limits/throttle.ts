// In-process rate limits with token buckets. Callers with a body to read should check the limit
// first, so that a refusal is cheap.

/** Takes one token from the key's bucket; returns false if the key is over its limit. */
export type Throttle = (key: string | number, now: number) => boolean;

/**
 * Maximum number of buckets. The least recently used one is evicted because it has had the longest
 * time to refill.
 */
const MAX_BUCKETS = 50_000;

export function createThrottle({
  capacity,
  perSecond,
}: {
  capacity: number;
  perSecond: number;
}): Throttle {
  const buckets = new Map<string | number, { tokens: number; updatedAt: number }>();
  return (key, now) => {
    const bucket = buckets.get(key);
    const tokens = bucket
      ? Math.min(capacity, bucket.tokens + ((now - bucket.updatedAt) / 1_000) * perSecond)
      : capacity;
    // Inserted again at the end, so that the first bucket is the least recently used one.
    buckets.delete(key);
    if (buckets.size >= MAX_BUCKETS) buckets.delete(buckets.keys().next().value as string);
    buckets.set(key, { tokens: tokens < 1 ? tokens : tokens - 1, updatedAt: now });
    return tokens >= 1;
  };
}
