// The subscribers at a step, the step's results for them, and the context that it runs in.
import type { SendingOptions } from '#areas/content/server/index.ts';
import type { EmailActivity } from '../../shared.ts';

export type StepEntrant = {
  /** Key of the run within the turn: a subscriber may have two runs with different subjects. */
  key: number;
  subscriberId: number;
  subject: number;
  /** Values of the fact that started the run. */
  facts: Readonly<Record<string, unknown>> | null;
  pass: number;
  depth: number;
  enteredAt: Date;
  /** Arrival at the step. */
  arrivedAt: Date;
  /** Time when the run was due. */
  dueAt: Date;
  holdReason: string | null;
  /** Message and handoff time per EMAIL and SMS step. */
  messages: ReadonlyMap<number, { id: number; at: Date }>;
};

/** Result of a step for one subscriber. */
export type StepResult =
  | { kind: 'left'; path: string; note: string; messageId?: number }
  /**
   * Waits at the step until an instant (null: until the owner decides). With `isStarted`, the run
   * continues to the next step afterwards; otherwise the step runs again. `holdReason` is one of
   * RUN_HOLD_REASONS.
   */
  | { kind: 'waits'; until: Date | null; isStarted: boolean; holdReason?: string }
  | { kind: 'ended'; outcome: string };

/** Results by `key`. */
export type StepResults = Map<number, StepResult>;

/** Assumed engagement with a message, in a dry run that sends nothing. */
export type Assumption = { stepId: number; activity: EmailActivity; afterMs: number };

export type StepContext = {
  now: Date;
  options: SendingOptions;
  /** Only in dry runs, which send nothing. */
  assumptions?: readonly Assumption[] | undefined;
  /**
   * Handoff times of this turn (in a dry run or forecast: of all its turns) per subscriber, for the
   * contact guard.
   */
  handoffTimes: Map<number, Date[]>;
  /**
   * Set in dry runs and forecasts: the contact guard ignores rows of the ledger from this instant
   * on and counts the simulated handoffs in `handoffTimes` instead.
   */
  dryRunStart?: Date | undefined;
};

export const leaveStep = (path: string, note = ''): StepResult => ({ kind: 'left', path, note });

export const createResults = (entrants: readonly StepEntrant[], result: StepResult): StepResults =>
  new Map(entrants.map((entrant) => [entrant.key, result]));

/** Returns distinct subscriber ids. */
export const listSubscriberIds = (entrants: readonly StepEntrant[]): number[] => [
  ...new Set(entrants.map((entrant) => entrant.subscriberId)),
];
