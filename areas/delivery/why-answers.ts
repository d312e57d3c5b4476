/** The short answers of the delivery explanation. */
export const WHY_ANSWERS = [
  'got',
  'came_back',
  'waits',
  'on_its_way',
  'refused',
  'skipped',
  'unknown',
  'left_out',
  'not_chosen',
  'joined_later',
  'not_ready',
] as const;
export type WhyAnswer = (typeof WHY_ANSWERS)[number];

/** Kinds of steps of the delivery explanation, in the order they may happen. */
export const WHY_STEPS = [
  'matched',
  'not_matched',
  'joined_later',
  'excluded',
  'received_before',
  'status',
  'suppressed',
  'paused',
  'left_out',
  'held_out',
  'queued',
  'accepted',
  'deferred',
  'failed',
  'skipped',
  'unknown',
  'held',
  'hard_bounce',
  'soft_bounce',
  'complaint',
  'unsubscribe',
  'opened',
  'clicked',
] as const;
export type WhyStepKind = (typeof WHY_STEPS)[number];
