// Contract of an SMS campaign: the campaign, its statistics, findings, cost and previews.
import { z } from 'zod';
import { dataResponse, Day, Id, Instant, idOf } from '#platform/contract.ts';
import { ExperimentSummary } from '../broadcasts/experiment-contract.ts';
import { Series } from '../broadcasts/planning-contract.ts';
import { Group } from '../broadcasts/recipients-contract.ts';
import { Delivery } from '../broadcasts/sending-contract.ts';
import { BroadcastTiming } from '../broadcasts/timing-contract.ts';
import { UtmOverride, UtmValue } from '../content/utm-contract.ts';
import { FLAGS, STATUSES, STEPS } from './shared.ts';

/** Most booleans of an SMS campaign are strings in the API; the client converts them. */
export const Flag = z.enum(FLAGS);

/**
 * Counts of an SMS campaign. `clicks` and `unsubscribes` count distinct subscribers; `cost_micros`
 * is in millionths of the provider's currency, 0 if the provider reports no cost.
 */
export const SmsFigures = z.object({
  sent: z.number(),
  accepted: z.number().describe('Accepted by the provider, without those reported as undelivered'),
  delivered: z.number().nullable().describe('Delivery receipts; null until there is one'),
  clicks: z.number(),
  unsubscribes: z.number(),
  failed: z.number(),
  replies: z.number(),
  parts: z.number(),
  cost_micros: z.number(),
});

export const SmsUtm = UtmOverride.extend({ campaign: UtmValue }).partial();

export const SmsCampaign = z.object({
  id: Id,
  title: z.string(),
  text: z.string(),
  /** A number or an alphanumeric sender ID; empty until the user chooses one. */
  sender: z.string(),
  phone_id: Id.nullable(),
  status: z.enum(STATUSES),
  last_action: z.enum(STEPS),
  /**
   * An update contains the revision that it is based on; if this is not the current one, it gets a
   * 409.
   */
  revision: z.number(),
  add_organization_name: Flag,
  append_opt_out: Flag,
  send_to_all: Flag,
  /** Whether UTM parameters are added to links. */
  google_analytics: Flag,
  /** UTM parameters; absent and empty ones use the account's defaults. */
  utm: SmsUtm,
  tags: z.array(Group),
  exclude_tags: z.array(Group),
  filters: z.array(Group),
  exclude_filters: z.array(Group),
  /**
   * Wall time in `schedule_zone`; null if the campaign is not scheduled or is to be sent
   * immediately.
   */
  schedule_time: z.string().nullable(),
  schedule_zone: z.string().nullable(),
  scheduled_at: Instant.nullable(),
  /**
   * Whether the scheduled time passed more than an hour ago without a start and the user must
   * decide what happens next.
   */
  is_late: z.boolean(),
  /** The repetition, if this is the model of a recurring campaign. */
  series: Series.nullable(),
  /** For an occurrence of a recurring campaign: its model. */
  series_of: Id.nullable(),
  /** For an occurrence: its day according to the rule. */
  occurs_on: Day.nullable(),
  timing: BroadcastTiming,
  delivery: Delivery.nullable(),
  figures: SmsFigures.nullable(),
  experiment: ExperimentSummary.nullable(),
  sent_at: Instant.nullable(),
  created: Instant,
  modified: Instant,
});
export type SmsCampaign = z.infer<typeof SmsCampaign>;

export const SMS_CAMPAIGNS_PATH = '/client-api/api/sms/campaign';
export const params = z.object({ id: idOf('sms') });
export const response = dataResponse(SmsCampaign);

export const SmsFinding = z.object({
  code: z.string(),
  severity: z.enum(['error', 'warning', 'tip']),
  /** The step where the problem can be resolved. */
  step: z.enum(['settings', 'recipients', 'phone', 'account', 'credit']),
  values: z.record(z.string(), z.union([z.string(), z.number()])).optional(),
});
export type SmsFinding = z.infer<typeof SmsFinding>;

/** Amounts in millionths of the currency; `free_micros` is the credit that is not reserved. */
export const SmsCost = z.object({
  micros: z.number(),
  free_micros: z.number(),
  currency: z.string(),
});

export const SmsSize = z.object({
  encoding: z.enum(['GSM-7', 'UCS-2']),
  units: z.number(),
  parts: z.number(),
  left: z.number(),
});

/** An SMS rendered for one subscriber, with its length. */
export const SmsPreview = z.object({
  text: z.string(),
  ...SmsSize.shape,
  /** The subscriber that it is rendered for; null if it is rendered without one. */
  person: z.object({ id: Id, name: z.string() }).nullable(),
});
export type SmsPreview = z.infer<typeof SmsPreview>;
