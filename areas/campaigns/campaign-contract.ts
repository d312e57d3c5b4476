// Schemas of campaigns, and parts that several contracts of campaigns share.
import { z } from 'zod';
import { dataResponse, Day, Id, Instant, idOf } from '#platform/contract.ts';
import { senderAddress } from '#platform/email-address.ts';
import { LANGUAGES } from '#platform/languages.ts';
import { ExperimentSummary } from '../broadcasts/experiment-contract.ts';
import { Series } from '../broadcasts/planning-contract.ts';
import { Group } from '../broadcasts/recipients-contract.ts';
import { Delivery } from '../broadcasts/sending-contract.ts';
import { BroadcastTiming } from '../broadcasts/timing-contract.ts';
import { UtmOverride } from '../content/utm-contract.ts';
import { CONTENT_KINDS, MAX_EMAIL, RESEND_STATES, STATUSES, STEPS } from './shared.ts';

/**
 * Exact counts. `delivered` are accepted copies minus bounces; opens and clicks count subscribers.
 */
export const Figures = z.object({
  sent: z.number(),
  delivered: z.number(),
  opens: z.number(),
  human_opens: z.number(),
  clicks: z.number(),
  human_clicks: z.number(),
  unsubscribes: z.number(),
  hard_bounces: z.number(),
  soft_bounces: z.number(),
  complaints: z.number(),
});

/** A resend to non-openers. */
export const Resend = z.object({
  subject: z.string(),
  /** Minimum hours between a recipient's email of the campaign and the resend. */
  hours: z.number(),
  state: z.enum(RESEND_STATES),
  /** Reason of a failure: an error code. */
  reason: z.string().nullable(),
  /** Null until the campaign's first email is sent. */
  due_at: Instant.nullable(),
  /** The campaign that the resend created, once started. */
  campaign: Id.nullable(),
});

export const Campaign = z.object({
  id: Id,
  title: z.string(),
  subject: z.string(),
  preheader: z.string(),
  from_name: z.string(),
  from_email: z.string(),
  reply_to: z.string(),
  language: z.enum(LANGUAGES).nullable(),
  /**
   * Value of utm_campaign in links, with tokens. A blank value means the account's default; null
   * adds no UTM parameters.
   */
  utm_campaign: z.string().nullable(),
  /** Other UTM parameters; absent and blank ones use the account's defaults. */
  utm: UtmOverride,
  status: z.enum(STATUSES),
  last_action: z.enum(STEPS),
  /**
   * Each change of content or settings contains the revision it is based on; an outdated one gets a
   * 409.
   */
  revision: z.number(),
  /** The editor of the content; null while there is no content. */
  editor: z.enum(CONTENT_KINDS).nullable(),
  content_revision: z.number().nullable(),
  /**
   * URL of a rendering of the email for a sandboxed, scaled frame, which can be cached for a long
   * time; null while the email is empty.
   */
  thumbnail_url: z.string().nullable(),
  send_to_all: z.boolean(),
  tags: z.array(Group),
  exclude_tags: z.array(Group),
  /** Included segments, and excluded ones. */
  filters: z.array(Group),
  exclude_filters: z.array(Group),
  /** Wall time in `schedule_zone`; null means immediately, or not scheduled. */
  schedule_time: z.string().nullable(),
  schedule_zone: z.string().nullable(),
  /** The instant of the wall time. */
  scheduled_at: Instant.nullable(),
  /**
   * Whether the start was missed by an hour or more and a user must decide about sending. A
   * campaign with a separate time for each recipient is late only after the last of these times.
   */
  is_late: z.boolean(),
  timing: BroadcastTiming,
  delivery: Delivery.nullable(),
  figures: Figures.nullable(),
  experiment: ExperimentSummary.nullable(),
  resend: Resend.nullable(),
  /** For a resend: the campaign whose non-openers receive it. */
  resend_of: Id.nullable(),
  /** The repetition rule, if this campaign is the model of a recurring campaign. */
  series: Series.nullable(),
  /**
   * For an occurrence of a recurring campaign: the model, and the occurrence's day according to the
   * rule.
   */
  series_of: Id.nullable(),
  occurs_on: Day.nullable(),
  sent_at: Instant.nullable(),
  created: Instant,
  modified: Instant,
});
export type Campaign = z.infer<typeof Campaign>;

export const params = z.object({ id: idOf('campaign') });
export const CampaignResponse = dataResponse(Campaign);
export const notDraft = { campaign_not_draft: 409 };

export const EmailOrNone = z.union([
  z.string().trim().pipe(z.literal('')),
  senderAddress(MAX_EMAIL),
]);
