// SMS campaigns as the API returns them (specification, sections 3 and 7 'SMS').
import { z } from 'zod';
import { dataAnswer, Day, Id, Instant, idOf } from '#platform/contract.ts';
import { ExperimentSummary } from '../broadcasts/experiment-contract.ts';
import { Series } from '../broadcasts/planning-contract.ts';
import { Group } from '../broadcasts/recipients-contract.ts';
import { Delivery } from '../broadcasts/sending-contract.ts';
import { Timing } from '../broadcasts/timing-contract.ts';
import { UtmOverride, UtmValue } from '../content/utm-contract.ts';
import { FLAGS, STATUSES, STEPS } from './shared.ts';

/** Booleans travel as strings; the client converts them. */
export const Flag = z.enum(FLAGS);

/**
 * Distinct subscribers; `cost` in millionths of the currency, 0 if the provider reports none.
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
  /** A number or an alphanumeric sender ID; '' until one is chosen. */
  sender: z.string(),
  phone_id: Id.nullable(),
  status: z.enum(STATUSES),
  last_action: z.enum(STEPS),
  /** Each update sends the revision that it is based on; a mismatch gets a 409. */
  revision: z.number(),
  add_organization_name: Flag,
  append_opt_out: Flag,
  send_to_all: Flag,
  /** Whether UTM parameters are added to links. */
  google_analytics: Flag,
  /** UTM parameters; absent and blank ones use the account's defaults. */
  utm: SmsUtm,
  tags: z.array(Group),
  exclude_tags: z.array(Group),
  filters: z.array(Group),
  exclude_filters: z.array(Group),
  /** Wall time in `schedule_zone`; null: send immediately, or not scheduled. */
  schedule_time: z.string().nullable(),
  schedule_zone: z.string().nullable(),
  scheduled_at: Instant.nullable(),
  /**
   * The scheduled time passed more than an hour ago without a start: the user decides what happens
   * next.
   */
  is_late: z.boolean(),
  /** The repetition, if this is the model of a recurring campaign. */
  series: Series.nullable(),
  /** For an occurrence of a recurring campaign: the model, and the day by the rule. */
  series_of: Id.nullable(),
  occurs_on: Day.nullable(),
  timing: Timing,
  delivery: Delivery.nullable(),
  figures: SmsFigures.nullable(),
  experiment: ExperimentSummary.nullable(),
  sent_at: Instant.nullable(),
  created: Instant,
  modified: Instant,
});
export type SmsCampaign = z.infer<typeof SmsCampaign>;

export const SMS_CALLS = '/client-api/api/sms/campaign';
export const params = z.object({ id: idOf('sms') });
export const one = dataAnswer(SmsCampaign);

export const SmsFinding = z.object({
  code: z.string(),
  severity: z.enum(['error', 'warning', 'tip']),
  /** The step at which the problem can be resolved. */
  step: z.enum(['settings', 'recipients', 'phone', 'account', 'credit']),
  values: z.record(z.string(), z.union([z.string(), z.number()])).optional(),
});
export type SmsFinding = z.infer<typeof SmsFinding>;

/** Amounts in millionths of the currency; `free_micros`: the credit that is not on hold. */
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
  /** The subscriber it is rendered for; null if there is none. */
  person: z.object({ id: Id, name: z.string() }).nullable(),
});
export type SmsPreview = z.infer<typeof SmsPreview>;
