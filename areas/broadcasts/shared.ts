// Limits and terms of all broadcasts, shared by the server and the screens.

/** Maximum number of included groups, and of excluded groups. */
export const MAX_GROUPS = 500;
/**
 * Maximum number of included segments, and of excluded segments; each is evaluated for every
 * subscriber.
 */
export const MAX_SEGMENTS = 20;
/** A broadcast whose start is delayed by this or more is not sent before a user confirms it. */
export const LATE_MS = 60 * 60 * 1000;

export const STATUSES = ['DRAFT', 'SCHEDULED', 'SENT'] as const;
export type BroadcastStatus = (typeof STATUSES)[number];

/** Metrics that decide an experiment; SMS have no opens. */
export const METRICS = ['opens', 'clicks', 'buyers', 'revenue'] as const;
export type ExperimentMetric = (typeof METRICS)[number];
/**
 * The variant that the remaining recipients get if there is no clear winner: the leading variant,
 * or the control.
 */
export const FALLBACKS = ['leader', 'control'] as const;
export const EXPERIMENT_STATES = [
  'draft',
  'testing',
  'waiting',
  'decided',
  'failed',
  'cancelled',
] as const;
export const OUTCOMES = ['early', 'final', 'no_winner', 'manual'] as const;
export type ExperimentOutcome = (typeof OUTCOMES)[number];
export const MIN_VARIANTS = 2;
export const MAX_VARIANTS = 8;
export const MIN_DURATION_HOURS = 4;
export const MAX_DURATION_HOURS = 168;
/** Maximum holdout group, in percent of the recipients. */
export const MAX_HOLDOUT_SHARE = 20;
/**
 * Maximum and default number of days for which the orders of the recipients are compared with the
 * orders of the holdout group.
 */
export const MAX_HOLDOUT_DAYS = 30;
export const DEFAULT_HOLDOUT_DAYS = 7;
/** Maximum delay of a variant after the start of the campaign: a week. */
export const MAX_DELAY_MINUTES = 7 * 24 * 60;
/**
 * Experiments with smaller variants are refused, because their differences would be mere chance.
 */
export const MIN_VARIANT_PEOPLE = 100;

export const TIMING_KINDS = ['time', 'own_time', 'best_hour'] as const;
export const PAST = ['next_day', 'now'] as const;
export const WINDOW_ZONES = ['account', 'person'] as const;
export const MAX_SPREAD_HOURS = 72;
/** Minimum number of opens and clicks of an account for best hours. */
export const MIN_BEST_HOUR_ACTIONS = 1_000;

/** The timing of a new campaign. */
export const DEFAULT_TIMING = {
  when: 'time',
  past: 'next_day',
  window: 'default',
  spread_hours: null,
} as const;
