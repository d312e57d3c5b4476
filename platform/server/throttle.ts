// Limits of what strangers post, kept in the process: asked before a body is read, so they cost nothing.
export type Throttle = (key: string | number, now: number) => boolean;

/** Each key has a bucket; the fullest are forgotten first, since they say nothing. */
const KEYS_MOST = 50_000;

/** False where a key has used up what it has. */
export function newThrottle({
  capacity,
  perSecond,
}: {
  capacity: number;
  perSecond: number;
}): Throttle {
  const buckets = new Map<string | number, { left: number; at: number }>();
  return (key, now) => {
    const known = buckets.get(key);
    const left = known
      ? Math.min(capacity, known.left + ((now - known.at) / 1_000) * perSecond)
      : capacity;
    // The newest stand last.
    buckets.delete(key);
    if (buckets.size >= KEYS_MOST) buckets.delete(buckets.keys().next().value as string);
    buckets.set(key, { left: left < 1 ? left : left - 1, at: now });
    return left >= 1;
  };
}
