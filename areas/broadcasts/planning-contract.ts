// Planning of a broadcast: rescheduling and recurrence. Each kind of broadcast offers these calls
// under its own paths.
import { z } from 'zod';
import {
  dataResponse,
  Day,
  defineCalls,
  SuccessResponse,
  Id,
  Instant,
  itemRoutes,
} from '#platform/contract.ts';
import type { Kind } from '#platform/ids.ts';
import { MAX_INTERVAL, NTHS, QUARTER } from './series-rule.ts';

const interval = z.number().int().min(1).max(MAX_INTERVAL);
/** 1 is Monday, 7 is Sunday. */
const Weekday = z.number().int().min(1).max(7);
const time = z.string().regex(QUARTER, 'errors.schedule_time_format');

export const Rule = z.discriminatedUnion('every', [
  z.strictObject({
    every: z.literal('week'),
    interval,
    weekdays: z.array(Weekday).min(1).max(7),
    time,
  }),
  z.strictObject({
    every: z.literal('month'),
    interval,
    /**
     * A month without the `day` uses its last day. `nth` -1 is the last such weekday of the month.
     */
    on: z.discriminatedUnion('kind', [
      z.strictObject({ kind: z.literal('day'), day: z.number().int().min(1).max(31) }),
      z.strictObject({ kind: z.literal('last_day') }),
      z.strictObject({ kind: z.literal('weekday'), nth: z.literal(NTHS), weekday: Weekday }),
    ]),
    time,
  }),
]);

export const Series = z.object({
  rule: Rule,
  /** The zone of the rule's time: the account's zone when the rule was set. */
  zone: z.string(),
  /** Weeks and months count from this day. */
  starts_on: Day,
  ends_on: Day.nullable(),
  /** Whether each subscriber gets one copy at most. */
  is_only_new: z.boolean(),
  /** The next occurrence without a campaign; null after the last one. */
  next_at: Instant.nullable(),
});
export type Series = z.infer<typeof Series>;

export const SERIES_DATE_STATES = [
  'planned',
  'skipped',
  'draft',
  'scheduled',
  'late',
  'sending',
  'sent',
] as const;

/** One occurrence, planned or with a campaign. */
export const SeriesDate = z.object({
  /** The day according to the rule, which stays the same when the campaign is moved. */
  on: Day,
  /** When the campaign will be or was sent. */
  at: Instant,
  state: z.enum(SERIES_DATE_STATES),
  campaign: Id.nullable(),
  title: z.string().nullable(),
});
export type SeriesDate = z.infer<typeof SeriesDate>;

const DayBody = z.strictObject({ on: Day });
const noSeries = { series_none: 409 };

/**
 * @param base base path of the calls of a kind of broadcast
 * @param kind kind of the ids in these paths
 * @param broadcast response schema of one broadcast of the kind
 */
// oxlint-disable-next-line eslint/max-lines-per-function -- One flat table of calls.
export function planningCalls<const Base extends `/${string}`, Broadcast extends z.ZodObject>(
  base: Base,
  kind: Kind,
  broadcast: Broadcast,
) {
  const { itemPath, params } = itemRoutes(base, kind);
  const response = dataResponse(broadcast);
  return defineCalls({
    reschedule: {
      method: 'POST',
      path: itemPath('reschedule'),
      caller: 'account',
      requiredRight: 'send',
      audit: ['schedule_time'],
      summary: 'Move a scheduled campaign to another time',
      description:
        "The time is local time in the account's time zone and is rounded up to a quarter of an hour. Sending must not have started.",
      params,
      body: z.strictObject({ schedule_time: z.string().max(19) }),
      response,
      errors: { campaign_not_scheduled: 409 },
    },
    setSeries: {
      method: 'PUT',
      path: itemPath('series'),
      caller: 'account',
      requiredRight: 'send',
      approval: { kind: `${kind}_series`, requesterRight: 'drafts' },
      audit: ['rule', 'starts_on', 'ends_on'],
      summary: 'Set the recurrence of a campaign',
      description:
        'The draft becomes a model, which is not sent itself: it is copied 26 hours before each occurrence. A change replaces scheduled copies that were not edited.',
      params,
      body: z.strictObject({
        rule: Rule,
        /** Defaults to the day set before, and for a new series to today. */
        starts_on: Day.optional(),
        ends_on: Day.nullable().optional(),
        is_only_new: z.boolean().optional(),
        revision: z.number().int().positive().optional(),
      }),
      response,
      errors: {
        campaign_not_draft: 409,
        cannot_repeat: 409,
        content_invalid: 422,
        document_too_slow: 422,
        no_recipients: 422,
        sender_not_verified: 422,
        not_enough_credit: 422,
      },
    },
    stopSeries: {
      method: 'DELETE',
      path: itemPath('series'),
      caller: 'account',
      requiredRight: 'send',
      summary: 'Stop the recurrence of a campaign',
      description: 'The model becomes a draft again. Campaigns that are already scheduled remain.',
      params,
      response,
    },
    listSeriesDates: {
      method: 'GET',
      path: itemPath('series/dates'),
      caller: 'account',
      summary: 'List occurrences of a recurring campaign',
      description:
        'Returns the campaigns of the newest twelve occurrences, and the next twelve planned occurrences.',
      params,
      response: dataResponse(z.array(SeriesDate)),
      errors: noSeries,
    },
    cancelSeriesDate: {
      method: 'POST',
      path: itemPath('series/skip'),
      caller: 'account',
      requiredRight: 'send',
      summary: 'Cancel one occurrence of a recurring campaign',
      description: 'An existing campaign of that day is deleted, unless its sending has started.',
      params,
      body: DayBody,
      response: SuccessResponse,
      errors: { ...noSeries, campaign_sending: 409 },
    },
    restoreSeriesDate: {
      method: 'POST',
      path: itemPath('series/unskip'),
      caller: 'account',
      requiredRight: 'send',
      summary: 'Restore a canceled occurrence',
      params,
      body: DayBody,
      response: SuccessResponse,
      errors: noSeries,
    },
    createSeriesDate: {
      method: 'POST',
      path: itemPath('series/prepare'),
      caller: 'account',
      requiredRight: 'send',
      summary: 'Create the campaign of an occurrence now',
      description:
        'Without this call, the campaign is created 26 hours before the occurrence. Later changes of the model do not affect it, but a new rule replaces it unless it was edited. Repeating the request returns the same campaign. `schedule_time` moves the campaign to another time if it is scheduled.',
      params,
      body: z.strictObject({ on: Day, schedule_time: z.string().max(19).optional() }),
      response,
      errors: { ...noSeries, campaign_not_scheduled: 409 },
    },
  });
}
