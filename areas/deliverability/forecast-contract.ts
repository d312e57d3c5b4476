// The forecast of a campaign: what its recipients will probably do, with 80 % intervals.
import { z } from 'zod';
import { dataAnswer, defineCalls, Done, Instant, placesBelow } from '#platform/contract.ts';
import type { Kind } from '#platform/ids.ts';
import { INACTIVE_MONTHS } from './forecast-shared.ts';

/** Eight of ten results are between `low` and `high`; `mid` is the median. */
export const Interval = z.object({ low: z.number(), mid: z.number(), high: z.number() });
export type Interval = z.infer<typeof Interval>;

/** Numbers of people. */
const Metrics = z.object({
  delivered: Interval,
  opens: Interval,
  clicks: Interval,
  unsubscribes: Interval,
  bounces: Interval,
  /** Complaints at mailbox providers that report them; null if none of them does. */
  complaints: Interval.nullable(),
});
export type Metrics = z.infer<typeof Metrics>;

/** Limits that can delay the last email of a campaign. */
export const DONE_LIMITS = [
  'relay',
  'provider',
  'autopilot',
  'warm_up',
  'speed',
  'timing',
  'engaged',
  'experiment',
] as const;

/**
 * When all but 1 % of the emails are accepted or refused, if the campaign starts at `as_of`. Instants are
 * null after more than 30 days; all of them are for `engaged` and `experiment`, since it is unknown when
 * the autopilot sends to all subscribers again, and when the experiment is decided.
 */
const DoneTime = z.object({
  /** The interval of 80 %, in whole five minutes. */
  low: Instant.nullable(),
  mid: Instant.nullable(),
  high: Instant.nullable(),
  /** The limit that delays it most. */
  limit: z.enum(DONE_LIMITS),
  /** Whether retries are those of past campaigns, or usual ones without any. */
  retries: z.enum(['past', 'usual']),
});
export type DoneTime = z.infer<typeof DoneTime>;

export const Forecast = z.object({
  people: z.number(),
  as_of: Instant,
  /** Number of past campaigns that the forecast uses; with none it uses defaults. */
  campaigns: z.number(),
  metrics: Metrics,
  /** Null if no limit and no speed is known. `last`: in at least nine of ten cases the last retry ends before. */
  done: DoneTime.extend({ last: Instant.nullable() }).nullable(),
  /** Per currency with enough orders in past campaigns. */
  revenue: z.array(z.object({ currency: z.string(), orders: Interval, amount: Interval })),
  mailboxes: z.array(
    z.object({
      ...{ mailbox: z.string(), people: z.number(), metrics: Metrics },
      done: DoneTime.nullable(),
    }),
  ),
  /** Mailbox providers of recipients that report no complaints, or have reported none yet. */
  silent: z.array(z.string()),
  /** Exclusions of inactive recipients that cost few clicks. Shares are of the whole campaign. */
  suggestions: z.array(
    z.object({
      months: z.literal(INACTIVE_MONTHS),
      people: z.number(),
      clicks: z.number(),
      bounces: z.number(),
      complaints: z.number().nullable(),
    }),
  ),
});
export type Forecast = z.infer<typeof Forecast>;

/** Results of the campaign, counted as in the forecast. */
export const Truth = z.object({
  people: z.number(),
  delivered: z.number(),
  opens: z.number(),
  clicks: z.number(),
  unsubscribes: z.number(),
  bounces: z.number(),
  complaints: z.number().nullable(),
  /** When all but 1 % of the emails were accepted or refused; null if it is not known any more. */
  done: Instant.nullable(),
  revenue: z.array(z.object({ currency: z.string(), orders: z.number(), amount: z.number() })),
});
export type Truth = z.infer<typeof Truth>;

export const StoredForecast = z.object({
  forecast: Forecast,
  /** Null until 72 hours after the last handoff. */
  truth: Truth.nullable(),
  /** Results of all forecasts of the account that were compared, and those inside their range. */
  compared: z.number(),
  inside: z.number(),
});
export type StoredForecast = z.infer<typeof StoredForecast>;

/**
 * @param base base path of the owner's addresses
 * @param kind kind of the ids in them
 */
export function forecastCalls<const Base extends `/${string}`>(base: Base, kind: Kind) {
  const { at, params } = placesBelow(base, kind);
  return defineCalls({
    forecastCampaign: {
      method: 'POST',
      path: at('forecast'),
      caller: 'account',
      needs: 'read',
      audit: 'none',
      slots: 'count',
      summary: 'Count the forecast of a draft',
      description:
        'Intervals of 80 %. Null for resends to subscribers without an open, and without recipients. `counting` after two seconds: repeat the call.',
      params,
      body: z.strictObject({}),
      answer: z.object({ data: Forecast.nullable(), counting: z.boolean() }),
      transaction: 'own',
      idempotent: false,
      errors: { campaign_not_draft: 409 },
    },
    getForecast: {
      method: 'GET',
      path: at('forecast'),
      caller: 'account',
      summary: 'Get the forecast of a sent campaign',
      description:
        'As of its start, with the results from 72 hours after the last handoff on. Null for campaigns without one.',
      params,
      answer: dataAnswer(StoredForecast.nullable()),
    },
    addForecastExclusion: {
      method: 'POST',
      path: at('forecast/exclusion'),
      caller: 'account',
      summary: 'Add a suggested exclusion',
      description:
        'Excludes the segment of subscribers who have been inactive for that many months; creates it if it is missing.',
      params,
      body: z.strictObject({
        months: z.literal(INACTIVE_MONTHS),
        /** The revision that the client has: a later change is not overwritten. */
        revision: z.number().int().positive().optional(),
      }),
      answer: Done,
      errors: { campaign_not_draft: 409 },
    },
  });
}
