// Enumerations and limits of workflows, shared by server and web.

export const STEP_TYPES = ['trigger', 'EMAIL', 'SMS', 'ACTION', 'CONDITION', 'delay'] as const;
export type StepType = (typeof STEP_TYPES)[number];

export const STATUSES = ['ACTIVE', 'DRAFT'] as const;
export type WorkflowStatus = (typeof STATUSES)[number];

/** Trigger types of a workflow. */
export const TRIGGERS = [
  'LIST_ADD',
  'LIST_REMOVE',
  'FORM_SUBMIT',
  'SEGMENT_ENTER',
  'DATE',
  'ANNIVERSARY',
  'LINK_CLICK',
  'EVENT',
  'CART_ABANDONED',
  'ORDER_PLACED',
  'PRODUCT_PURCHASED',
  'ORDER_FULFILLED',
  'ORDER_REFUNDED',
  'PRODUCT_VIEWED',
  'FIELD_UPDATE',
  'UNSUBSCRIBE',
  'API',
] as const;
export type Trigger = (typeof TRIGGERS)[number];

/** Triggers that require a connected store. */
export const STORE_TRIGGERS: ReadonlySet<string> = new Set<Trigger>([
  'CART_ABANDONED',
  'ORDER_PLACED',
  'PRODUCT_PURCHASED',
  'ORDER_FULFILLED',
  'ORDER_REFUNDED',
  'PRODUCT_VIEWED',
]);
/**
 * Store triggers with a product: PRODUCT_PURCHASED for one product, PRODUCT_VIEWED for one or any.
 * The other store triggers are for one store or any.
 */
export const PRODUCT_TRIGGERS: ReadonlySet<string> = new Set<Trigger>([
  'PRODUCT_PURCHASED',
  'PRODUCT_VIEWED',
]);

/**
 * `DATE` waits until a fixed instant, `FIELD` until the date in a field of the subscriber. `UNTIL`
 * waits for an event, at most for a time-out. Durations and the time-out count from arrival at the
 * step.
 */
export const DELAYS = [
  'MINUTES',
  'HOURS',
  'DAYS',
  'WEEKS',
  'MONTHS',
  'DATE',
  'FIELD',
  'UNTIL',
] as const;

/** Units of time-outs and time windows. */
export const UNITS = ['MINUTES', 'HOURS', 'DAYS', 'WEEKS', 'MONTHS'] as const;
export type DelayUnit = (typeof UNITS)[number];

/** Engagement with an EMAIL step; SMS steps have only `delivered` and `clicked`. */
export const ACTIVITIES = ['delivered', 'opened', 'clicked'] as const;
export type EmailActivity = (typeof ACTIVITIES)[number];

/** Kinds of CONDITION steps. */
export const CONDITION_KINDS = ['segment', 'saved', 'activity', 'split'] as const;

export const ACTIONS = [
  'COPY',
  'MOVE',
  'REMOVE',
  'UNSUBSCRIBE',
  'FIELD',
  'NOTIFY',
  'WEBHOOK',
  'END',
] as const;

/**
 * When a subscriber with an ended run may enter again: never, immediately, or `reentry_days` after
 * the last entry.
 */
export const REENTRIES = ['never', 'ended', 'days'] as const;

/** Metrics that decide which path of a split takes over. */
export const SPLIT_METRICS = ['opened', 'clicked', 'goal'] as const;

/** Paths of a `split` condition. */
export const SPLIT_PATHS = ['A', 'B', 'C', 'D', 'E'] as const;

/**
 * Reasons why a subscriber is held at a step that is otherwise due: quiet hours, the contact guard,
 * a message more than a day late (the owner decides), too many messages without a result, a
 * condition about a message that has not been sent yet, an incomplete step, a failing step.
 */
export const RUN_HOLD_REASONS = [
  'quiet_hours',
  'contact_guard',
  'late',
  'backlog',
  'not_sent_yet',
  'incomplete',
  'failed',
] as const;

/** Outcomes of a run. */
export const OUTCOMES = [
  'completed',
  'goal',
  'action_end',
  'filter',
  'unsubscribed',
  'late',
  'step_removed',
  'deleted',
  'cart_closed',
  'held_out',
] as const;

/** Engagement and delivery results of a step's email; each has a list of people. */
export const STEP_ACTIONS = [
  'opens',
  'clicks',
  'hard_bounces',
  'soft_bounces',
  'unsubscribes',
  'complaints',
] as const;
export type StepAction = (typeof STEP_ACTIONS)[number];

export const PER_PAGE = 5;
export const MAX_TITLE_LENGTH = 255;
export const MAX_NOTE_LENGTH = 500;
export { MAX_UTM } from '../content/utm.ts';
export const MAX_STEPS = 200;
export const MAX_WORKFLOWS = 500;
export const MAX_AMOUNT = 1000;
/** Maximum depth of workflows that trigger each other; deeper entries are dropped. */
export const MAX_DEPTH = 5;
/** Messages overdue by more than this wait for the owner's decision. */
export const LATE_MS = 24 * 3_600_000;
/** Sample size of a forecast; its counts are scaled up to all entrants. */
export const FORECAST_SAMPLE = 500;
