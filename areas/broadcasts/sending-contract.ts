// Sending of a broadcast, from scheduling to retries. Each kind of broadcast offers these calls
// under its own paths.
import { z } from 'zod';
import { dataResponse, defineCalls, Instant, itemRoutes } from '#platform/contract.ts';
import type { Kind } from '#platform/ids.ts';
import { EXCLUSIONS, MESSAGE_STATES } from '../delivery/shared.ts';

export const Delivery = z.object({
  state: z.enum(MESSAGE_STATES),
  /** Code of the reason for the pause or wait; `reply` is the relay's reply. */
  reason: z.string().nullable(),
  reply: z.string().nullable(),
  audience: z.number(),
  /** False while the audience is being written: `audience` grows. */
  audience_done: z.boolean(),
  accepted: z.number(),
  deferred: z.number(),
  failed: z.number(),
  skipped: z.number(),
  unknown: z.number(),
  remaining: z.number(),
  /**
   * Number of remaining recipients whose copies wait for the warm-up of the sending domain, or for
   * the end of quiet hours (SMS).
   */
  held: z.number(),
  /**
   * End of the wait for the warm-up, for quiet hours, for the hourly or daily limit of the relays,
   * or for the monthly limit of the plan.
   */
  held_until: Instant.nullable(),
  /**
   * The next part of the recipients and its time, if recipients get the broadcast at different
   * times.
   */
  next_wave: z.object({ at: Instant, count: z.number() }).nullable(),
  /** Counts and limit of the circuit breaker, if it stopped the broadcast. */
  halted: z.object({ count: z.number(), of: z.number(), limit: z.number() }).nullable(),
  /** Subscribers excluded from the audience when it was written. */
  excluded: z.array(z.object({ reason: z.enum(EXCLUSIONS), count: z.number() })),
  started_at: Instant.nullable(),
  finished_at: Instant.nullable(),
});
export type BroadcastDelivery = z.infer<typeof Delivery>;

/**
 * Errors of an account that must not send, because the monthly emails of its plan are used up or
 * the operator suspended it.
 */
const PLAN = { plan_limit: 409, account_suspended: 409 } as const;

/**
 * @param base base path of the calls of a kind of broadcast
 * @param kind kind of the ids in these paths
 * @param broadcast response schema of one broadcast of the kind
 */
// oxlint-disable-next-line eslint/max-lines-per-function -- One flat table of calls.
export function sendingCalls<const Base extends `/${string}`, Broadcast extends z.ZodObject>(
  base: Base,
  kind: Kind,
  broadcast: Broadcast,
) {
  const { itemPath, params } = itemRoutes(base, kind);
  const response = dataResponse(broadcast);
  return defineCalls({
    schedule: {
      method: 'POST',
      path: itemPath('schedule'),
      caller: 'account',
      requiredRight: 'send',
      approval: { kind: `${kind}_schedule`, requesterRight: 'drafts' },
      audit: ['schedule_time', 'revision'],
      summary: 'Schedule a campaign or send it now',
      description:
        "The time is local time in the account's time zone, or null for now. Repeating an equal request changes nothing.",
      params,
      body: z.strictObject({
        schedule_time: z.string().max(19).nullable(),
        /** The client's revision; if it is no longer current, nothing is sent. */
        revision: z.number().int().positive().optional(),
      }),
      response,
      errors: {
        already_scheduled: 409,
        campaign_repeats: 409,
        content_invalid: 422,
        document_too_slow: 422,
        no_recipients: 422,
        sender_not_verified: 422,
        not_enough_credit: 422,
        variants_alike: 422,
        experiment_small: 422,
        timing_with_experiment: 409,
        ...PLAN,
      },
    },
    cancel: {
      method: 'POST',
      path: itemPath('cancel'),
      caller: 'account',
      requiredRight: 'send',
      summary: 'Cancel a scheduled or sending campaign',
      params,
      response,
      errors: { campaign_finished: 409 },
    },
    pause: {
      method: 'POST',
      path: itemPath('pause'),
      caller: 'account',
      requiredRight: 'send',
      summary: 'Pause a sending campaign',
      params,
      response,
      errors: { campaign_not_sending: 409 },
    },
    resume: {
      method: 'POST',
      path: itemPath('resume'),
      caller: 'account',
      requiredRight: 'send',
      summary: 'Resume a paused campaign',
      params,
      response,
      errors: { campaign_not_sending: 409, ...PLAN },
    },
    retry: {
      method: 'POST',
      path: itemPath('retry'),
      caller: 'account',
      requiredRight: 'send',
      summary: 'Retry failed and unknown recipients',
      description:
        'Sends again to recipients that were refused for reasons unrelated to them, or to recipients whose delivery is unknown.',
      params,
      body: z.strictObject({ which: z.enum(['failed', 'unknown']) }),
      response: dataResponse(z.object({ retried: z.number() })),
      errors: { campaign_not_sending: 409, not_enough_credit: 422 },
    },
  });
}
