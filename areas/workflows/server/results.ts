// Who comes to a step, and what becomes of them there.
import type { SendingOptions } from '#areas/content/server/index.ts';
import type { Activity } from '../limits.ts';

export type Person = {
  /** Of this run, within the turn: one person may be in it about two things. */
  key: number;
  subscriberId: number;
  subject: number;
  /** Values of what started it. */
  facts: Readonly<Record<string, unknown>> | null;
  pass: number;
  depth: number;
  enteredAt: Date;
  /** When they came to the step. */
  arrivedAt: Date;
  /** When they were to move. */
  dueAt: Date;
  heldFor: string | null;
  /** The message that each EMAIL and SMS step became for them, and when it was handed over. */
  messages: ReadonlyMap<number, { id: number; at: Date }>;
};

/** What becomes of one person at a step. */
export type Result =
  | { is: 'left'; path: string; note: string; messageId?: number }
  /** Stands there until (null: its owner’s word); `isBegun`: then goes on, else comes to the step again; `heldFor`: a Hold, or a reason of delivery. */
  | { is: 'waits'; until: Date | null; isBegun: boolean; heldFor?: string }
  | { is: 'ended'; outcome: string };

/** By `key`. */
export type Results = Map<number, Result>;

/** What somebody is taken to do with a message, where nobody really gets it. */
export type Assumption = { stepId: number; activity: Activity; afterMs: number };

export type World = {
  now: Date;
  options: SendingOptions;
  /** A dry run's: nobody is really written to. */
  assumptions?: readonly Assumption[] | undefined;
  /** When messages were handed over by this turn (of a dry run: by all of it), by person; the contact guard asks. */
  contacts: Map<number, Date[]>;
  /** Of a dry run: since then the ledger holds what nobody gets. */
  dryFrom?: Date | undefined;
};

export const left = (path: string, note = ''): Result => ({ is: 'left', path, note });

export const forAll = (people: readonly Person[], result: Result): Results =>
  new Map(people.map((one) => [one.key, result]));

/** Each once. */
export const idsOf = (people: readonly Person[]): number[] => [
  ...new Set(people.map((one) => one.subscriberId)),
];
