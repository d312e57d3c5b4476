// Calls for the forecast of a campaign: what its recipients will probably do, in 80 % intervals,
// and when it will be done.
import { z } from 'zod';
import {
  dataResponse,
  defineCalls,
  SuccessResponse,
  Instant,
  itemRoutes,
} from '#platform/contract.ts';
import type { Kind } from '#platform/ids.ts';
import { INACTIVE_MONTHS } from './forecast-shared.ts';

/** Eight of ten results are between `low` and `high`; `mid` is the median. */
export const CampaignInterval = z.object({ low: z.number(), mid: z.number(), high: z.number() });
export type CampaignInterval = z.infer<typeof CampaignInterval>;

/** The forecast number of subscribers with each result. */
const Metrics = z.object({
  delivered: CampaignInterval,
  opens: CampaignInterval,
  clicks: CampaignInterval,
  unsubscribes: CampaignInterval,
  bounces: CampaignInterval,
  /** Complaints at mailbox providers that report them; null if none of them does. */
  complaints: CampaignInterval.nullable(),
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
 * The time when all but 1 % of the emails are accepted or refused, if the campaign starts at
 * `as_of`. An instant is null if sending takes more than 30 days. All instants are null if `limit`
 * is `engaged` or `experiment`, because it is unknown when the autopilot sends to all subscribers
 * again or when the experiment is decided.
 */
const DoneTime = z.object({
  /** The 80 % interval. Its bounds are multiples of five minutes. */
  low: Instant.nullable(),
  mid: Instant.nullable(),
  high: Instant.nullable(),
  /** The limit that causes the longest delay. */
  limit: z.enum(DONE_LIMITS),
  /** Whether the retries are based on past campaigns, or on usual values if there are none. */
  retries: z.enum(['past', 'usual']),
});
export type DoneTime = z.infer<typeof DoneTime>;

export const CampaignForecast = z.object({
  people: z.number(),
  as_of: Instant,
  /** The number of past campaigns that the forecast uses. If 0, it uses defaults. */
  campaigns: z.number(),
  metrics: Metrics,
  /**
   * Null if no limit and no speed is known. In at least nine of ten cases, the last retry ends
   * before `last`.
   */
  done: DoneTime.extend({ last: Instant.nullable() }).nullable(),
  /** The revenue in each currency that has enough orders in past campaigns. */
  revenue: z.array(
    z.object({ currency: z.string(), orders: CampaignInterval, amount: CampaignInterval }),
  ),
  mailboxes: z.array(
    z.object({
      ...{ mailbox: z.string(), people: z.number(), metrics: Metrics },
      done: DoneTime.nullable(),
    }),
  ),
  /** The recipients' mailbox providers that have reported no complaints, or never report any. */
  silent: z.array(z.string()),
  /**
   * Suggestions to exclude inactive recipients, if this loses few clicks. `clicks`, `bounces` and
   * `complaints` are the lost fractions of the whole campaign's expected totals.
   */
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
export type CampaignForecast = z.infer<typeof CampaignForecast>;

/** The results of the campaign, counted as in the forecast. */
export const Truth = z.object({
  people: z.number(),
  delivered: z.number(),
  opens: z.number(),
  clicks: z.number(),
  unsubscribes: z.number(),
  bounces: z.number(),
  complaints: z.number().nullable(),
  /**
   * The time when all but 1 % of the emails were accepted or refused; null if it is no longer
   * known.
   */
  done: Instant.nullable(),
  revenue: z.array(z.object({ currency: z.string(), orders: z.number(), amount: z.number() })),
});
export type Truth = z.infer<typeof Truth>;

export const StoredForecast = z.object({
  forecast: CampaignForecast,
  /** The results; null until 72 hours after the last handoff. */
  truth: Truth.nullable(),
  /** The number of results compared with the account's forecasts. */
  compared: z.number(),
  /** How many of the compared results are inside their interval. */
  inside: z.number(),
});
export type StoredForecast = z.infer<typeof StoredForecast>;

/**
 * @param base the base path of the forecast objects
 * @param kind the kind of these objects' ids
 */
export function forecastCalls<const Base extends `/${string}`>(base: Base, kind: Kind) {
  const { itemPath, params } = itemRoutes(base, kind);
  return defineCalls({
    forecastCampaign: {
      method: 'POST',
      path: itemPath('forecast'),
      caller: 'account',
      requiredRight: 'read',
      audit: 'none',
      slots: 'count',
      summary: 'Count the forecast of a draft',
      description:
        'Returns 80 % intervals. Returns null for a resend to subscribers without an open, and for a campaign without recipients. If `counting` is true, the result was not ready after two seconds: repeat the call.',
      params,
      body: z.strictObject({}),
      response: z.object({ data: CampaignForecast.nullable(), counting: z.boolean() }),
      transaction: 'own',
      acceptsIdempotencyKey: false,
      errors: { campaign_not_draft: 409 },
    },
    getForecast: {
      method: 'GET',
      path: itemPath('forecast'),
      caller: 'account',
      summary: 'Get the forecast of a sent campaign',
      description:
        'Returns the forecast as of the start of the campaign. From 72 hours after the last handoff, it also returns the results. Returns null for campaigns without a forecast.',
      params,
      response: dataResponse(StoredForecast.nullable()),
    },
    addForecastExclusion: {
      method: 'POST',
      path: itemPath('forecast/exclusion'),
      caller: 'account',
      summary: 'Add a suggested exclusion',
      description:
        'Excludes the segment of subscribers who have been inactive for that many months. Creates the segment if it is missing.',
      params,
      body: z.strictObject({
        months: z.literal(INACTIVE_MONTHS),
        /**
         * The revision that the client has. The call is refused if the campaign has changed since
         * then.
         */
        revision: z.number().int().positive().optional(),
      }),
      response: SuccessResponse,
      errors: { campaign_not_draft: 409, too_many_segments: 422 },
    },
  });
}
