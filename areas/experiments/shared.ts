// Limits for experiments, shared by server and web.

export const MIN_VARIANTS = 2;
export const MAX_VARIANTS = 8;

/** With fewer recipients per variant, a difference would be mere chance. */
export const MIN_PEOPLE_PER_VARIANT = 100;

/**
 * Number of buckets. A hash assigns each subscriber to a bucket and a share is a range of buckets,
 * so shares are exact to 0.01 %.
 */
export const BUCKET_COUNT = 10_000;

/** Typical shares of recipients who open, click or buy, for accounts without sent campaigns. */
export const BASE_RATES = { opens: 0.2, clicks: 0.02, buyers: 0.002, revenue: 0.002 } as const;
