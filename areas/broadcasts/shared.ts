// Limits and terms of all broadcasts that the server and the screens share.

/** Included groups, and excluded groups. */
export const MAX_GROUPS = 500;
/** Included segments, and excluded segments: each is evaluated for every subscriber. */
export const MAX_SEGMENTS = 20;
/** A start delayed by more than this needs its owner's confirmation. */
export const LATE_MS = 60 * 60 * 1000;

export const STATUSES = ['DRAFT', 'SCHEDULED', 'SENT'] as const;
export type BroadcastStatus = (typeof STATUSES)[number];
