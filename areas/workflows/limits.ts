// The closed lists and limits of workflows that both halves know.

export const STEP_TYPES = ['trigger', 'EMAIL', 'ACTION', 'CONDITION', 'delay'] as const;
export type StepType = (typeof STEP_TYPES)[number];

export const STATUSES = ['ACTIVE', 'DRAFT'] as const;
export type WorkflowStatus = (typeof STATUSES)[number];

/** What starts a workflow. */
export const TRIGGERS = ['LIST_ADD', 'LIST_REMOVE', 'UNSUBSCRIBE', 'FIELD_UPDATE', 'API'] as const;
export type Trigger = (typeof TRIGGERS)[number];

/** `DATE` and `FIELD`: until an instant that was chosen, or a person's own; the others count from the arrival. */
export const DELAYS = ['MINUTES', 'HOURS', 'DAYS', 'WEEKS', 'MONTHS', 'DATE', 'FIELD'] as const;
export type DelayType = (typeof DELAYS)[number];

export const ACTIONS = ['COPY', 'MOVE', 'REMOVE', 'UNSUBSCRIBE', 'FIELD', 'END'] as const;
export type ActionType = (typeof ACTIONS)[number];

/** When somebody who was in a workflow may enter again: never, or once they have ended (after `reentry_days`). */
export const REENTRIES = ['never', 'ended', 'days'] as const;

/** The paths of a condition of kind `split`. */
export const SPLIT_PATHS = ['A', 'B', 'C', 'D', 'E'] as const;

export const PER_PAGE = 5;
export const TITLE_MOST = 255;
export const STEPS_MOST = 200;
export const WORKFLOWS_MOST = 500;
export const AMOUNT_MOST = 1000;
/** Workflows that feed each other end here. */
export const DEPTH_MOST = 5;
