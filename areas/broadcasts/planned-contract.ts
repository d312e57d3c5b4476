// Entries of the calendar (broadcasts, resends, decisions of experiments, occurrences and workflow
// messages), and items of the list of recurring campaigns.
import { z } from 'zod';
import { Day, Id, Instant } from '#platform/contract.ts';
import { Series } from './planning-contract.ts';

export const PLANNED_KINDS = [
  'campaign',
  'sms',
  'resend',
  'decision',
  'sms_decision',
  'occurrence',
  'sms_occurrence',
  'workflow',
] as const;
export type PlannedKind = (typeof PLANNED_KINDS)[number];

export const PLANNED_STATES = ['planned', 'late', 'sending', 'sent', 'stopped'] as const;

export const CalendarEntry = z.object({
  kind: z.enum(PLANNED_KINDS),
  /**
   * The ID of the campaign (the original of a resend, the model of an occurrence) or the workflow.
   */
  id: Id,
  title: z.string(),
  at: Instant,
  state: z.enum(PLANNED_STATES),
  /** Recipients; null while they are unknown. */
  people: z.number().nullable(),
  /** The day of an occurrence according to its rule. */
  on: Day.nullable(),
  /** The id of the recurring campaign's model, if this is one of its campaigns. */
  series_of: Id.nullable(),
  /** The range that the entry can be moved to; null if it cannot be moved. */
  movable: z.object({ from: Instant.nullable(), to: Instant.nullable() }).nullable(),
  /** For a resend: its subject, and when the original was sent. Rescheduling needs both. */
  resend: z.object({ subject: z.string(), sent_at: Instant }).nullable(),
});
export type CalendarEntry = z.infer<typeof CalendarEntry>;

/** A recurring campaign in the list of all recurring ones. */
export const Recurring = z.object({
  channel: z.enum(['email', 'sms']),
  /** The model. */
  id: Id,
  title: z.string(),
  ...Series.shape,
});
export type Recurring = z.infer<typeof Recurring>;
