// Timing of a broadcast: one instant for all, the recipients' own times, sending windows, and
// spreads. Each kind of broadcast offers these calls under its own paths.
import { z } from 'zod';
import { dataResponse, defineCalls, Instant, itemRoutes } from '#platform/contract.ts';
import type { Kind } from '#platform/ids.ts';
import { MAX_SPREAD_HOURS, PAST, TIMING_KINDS, WINDOW_ZONES } from './shared.ts';

export const SendWindow = z.strictObject({
  /** Whole hours; 24 is midnight. */
  from: z.number().int().min(0).max(23),
  to: z.number().int().min(1).max(24),
  /** From 1 (Monday) to 7. */
  days: z.array(z.number().int().min(1).max(7)).min(1).max(7),
  /** Zone of the hours and days: the account's or the recipient's. */
  zone: z.enum(WINDOW_ZONES),
});
export type SendWindow = z.infer<typeof SendWindow>;

export const BroadcastTiming = z.strictObject({
  /** One time for all, the same time in each recipient's zone, or each recipient's best hour. */
  when: z.enum(TIMING_KINDS),
  /** Treatment of recipients whose own time has passed at the start. */
  past: z.enum(PAST),
  /** 'default' is the window of the account; null is any time. */
  window: z.union([z.literal('default'), SendWindow]).nullable(),
  /**
   * Number of hours over which a broadcast with one time for all is sent; with null, it is sent as
   * fast as possible.
   */
  spread_hours: z.number().int().min(1).max(MAX_SPREAD_HOURS).nullable(),
});
export type BroadcastTiming = z.infer<typeof BroadcastTiming>;

export const TimingPreview = z.object({
  /** When the first and the last recipients get the broadcast; null if there are none. */
  first_at: Instant.nullable(),
  last_at: Instant.nullable(),
  /** Recipients whose own time will have passed at the start. */
  past: z.number(),
  /** Whether enough opens and clicks are known for best hours. */
  has_best_hours: z.boolean(),
  /** The window of the account. */
  default_window: SendWindow.nullable(),
});
export type TimingPreview = z.infer<typeof TimingPreview>;

const HourGroup = z.object({ accepted: z.number(), acted: z.number() });

/**
 * Recipients and openers in two groups: recipients who got the broadcast at their own best hour
 * (`own`), and the control group, which got it at the account's best hour.
 */
export const TimingEffect = z.object({
  own: HourGroup,
  control: HourGroup,
  /** Open rate at the own hour minus the control group's open rate, and its 95 % interval. */
  difference: z.number(),
  low: z.number(),
  high: z.number(),
});

/**
 * @param base base path of the calls of a kind of broadcast
 * @param kind kind of the ids in these paths
 * @param broadcast response schema of one broadcast of the kind
 */
export function timingCalls<const Base extends `/${string}`, Broadcast extends z.ZodObject>(
  base: Base,
  kind: Kind,
  broadcast: Broadcast,
) {
  const { itemPath, params } = itemRoutes(base, kind);
  return defineCalls({
    setTiming: {
      method: 'PUT',
      path: itemPath('timing'),
      caller: 'account',
      audit: ['timing'],
      summary: 'Set when a campaign is sent',
      description:
        'With `own_time`, recipients get the campaign when their time zone reaches the scheduled time. With `best_hour`, they get it at their best hour of the scheduled day. A spread starts at the scheduled time and requires one time for all recipients. Best hours require 1,000 opens and clicks.',
      params,
      body: z.strictObject({
        timing: BroadcastTiming,
        /** The client's revision; if it is no longer current, nothing is changed. */
        revision: z.number().int().positive().optional(),
      }),
      response: dataResponse(broadcast),
      errors: { campaign_not_draft: 409, timing_with_experiment: 409 },
    },
    previewTiming: {
      method: 'POST',
      path: itemPath('timing/preview'),
      caller: 'account',
      requiredRight: 'read',
      slots: 'count',
      summary: 'Preview when a campaign is sent',
      description: "`schedule_time` is local time in the account's time zone, or null for now.",
      params,
      body: z.strictObject({
        timing: BroadcastTiming,
        schedule_time: z.string().max(19).nullable(),
      }),
      response: dataResponse(TimingPreview),
    },
    readTimingEffect: {
      method: 'GET',
      path: itemPath('timing/effect'),
      caller: 'account',
      slots: 'count',
      summary: 'Get the effect of best hours',
      description:
        'Compares the open rates of recipients who got the campaign at their own best hour and of the tenth who got it at the best hour of the account. Returns null for campaigns without best hours, and until both groups have recipients.',
      params,
      response: dataResponse(TimingEffect.nullable()),
    },
  });
}

/** Calls for the window of the account, in which campaigns with the window 'default' are sent. */
export const windowCalls = defineCalls({
  readSendingWindow: {
    method: 'GET',
    path: '/client-api/api/sending_window',
    caller: 'account',
    summary: 'Get the sending window',
    response: dataResponse(SendWindow.nullable()),
  },
  setSendingWindow: {
    method: 'PUT',
    path: '/client-api/api/sending_window',
    caller: 'account',
    requiredRight: 'settings',
    audit: ['window'],
    summary: 'Set the sending window',
    description: 'The value null allows any time. Campaigns that have started keep their window.',
    body: z.strictObject({ window: SendWindow.nullable() }),
    response: dataResponse(SendWindow.nullable()),
  },
});
