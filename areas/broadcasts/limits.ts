// Numbers and words of everything that goes to many people at a time, which server and screens share.

/** Groups in, or groups out. */
export const GROUPS_MOST = 500;
/** Segments in, or segments out: each is read for every person. */
export const SEGMENTS_MOST = 20;
/** Later than this, a start asks its owner. */
export const LATE_MS = 60 * 60 * 1000;

export const STATUSES = ['DRAFT', 'SCHEDULED', 'SENT'] as const;
export type BroadcastStatus = (typeof STATUSES)[number];
