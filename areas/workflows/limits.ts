// The closed lists and limits of workflows that both halves know.

export const STEP_TYPES = ['trigger', 'EMAIL', 'SMS', 'ACTION', 'CONDITION', 'delay'] as const;
export type StepType = (typeof STEP_TYPES)[number];

export const STATUSES = ['ACTIVE', 'DRAFT'] as const;
export type WorkflowStatus = (typeof STATUSES)[number];

/** What starts a workflow. */
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

/** What only a connected store tells. */
export const STORE_TRIGGERS: ReadonlySet<string> = new Set<Trigger>([
  'CART_ABANDONED',
  'ORDER_PLACED',
  'PRODUCT_PURCHASED',
  'ORDER_FULFILLED',
  'ORDER_REFUNDED',
  'PRODUCT_VIEWED',
]);
/** Of these, what is about a product; the others are about a store. */
export const PRODUCT_TRIGGERS: ReadonlySet<string> = new Set<Trigger>([
  'PRODUCT_PURCHASED',
  'PRODUCT_VIEWED',
]);

/** `DATE` and `FIELD`: until an instant that was chosen, or a person's own; `UNTIL`: until something happens, at most so long; the others count from the arrival. */
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
export type DelayType = (typeof DELAYS)[number];

/** Units of time-outs and of windows. */
export const UNITS = ['MINUTES', 'HOURS', 'DAYS', 'WEEKS', 'MONTHS'] as const;
export type Unit = (typeof UNITS)[number];

/** What people do with an EMAIL step (`delivered` and `clicked` also with an SMS step). */
export const ACTIVITIES = ['delivered', 'opened', 'clicked'] as const;
export type Activity = (typeof ACTIVITIES)[number];

/** What a CONDITION asks. */
export const CONDITION_KINDS = ['segment', 'saved', 'activity', 'split'] as const;
export type ConditionKind = (typeof CONDITION_KINDS)[number];

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
export type ActionType = (typeof ACTIONS)[number];

/** When somebody who was in a workflow may enter again: never, or once they have ended (after `reentry_days`). */
export const REENTRIES = ['never', 'ended', 'days'] as const;

/** The paths of a condition of kind `split`. */
export const SPLIT_PATHS = ['A', 'B', 'C', 'D', 'E'] as const;

/**
 * Why somebody waits although their step would let them go: hours of rest, too many messages lately, more than a day
 * late (its owner decides), too much on its way, an email that has not left yet, a step that is not complete or fails.
 */
export const HOLDS = [
  'quiet_hours',
  'contact_guard',
  'late',
  'backlog',
  'not_sent_yet',
  'incomplete',
  'failed',
] as const;
export type Hold = (typeof HOLDS)[number];

/** How a pass ends. */
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
export type Outcome = (typeof OUTCOMES)[number];

/** What people did with the email of a step, or what happened to it: each a list of people. */
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
export const TITLE_MOST = 255;
export const NOTE_MOST = 500;
export const UTM_MOST = 100;
export const STEPS_MOST = 200;
export const WORKFLOWS_MOST = 500;
export const AMOUNT_MOST = 1000;
/** Workflows that feed each other end here. */
export const DEPTH_MOST = 5;
/** A message that is due for longer than this waits for its owner's word. */
export const LATE_MS = 24 * 3_600_000;
/** People whom a forecast follows; its counts are carried over to all. */
export const FORECAST_SAMPLE = 500;
