// Campaigns in the public API.
import { z } from 'zod';
import { defineCalls, Id, idOf, line } from '#platform/contract.ts';
import { senderAddress } from '#platform/email-address.ts';
import {
  Flag,
  absent,
  flagOr,
  listedIds,
  V2SuccessResponse,
  V2Time,
  v2List,
  v2Page,
  v2Saved,
} from '#platform/v2-contract.ts';
import { MAX_GROUPS, MAX_SEGMENTS } from '../broadcasts/shared.ts';
import {
  MAX_EMAIL,
  MAX_NAME_LENGTH,
  MAX_PREHEADER,
  MAX_SUBJECT,
  MAX_TITLE_LENGTH,
} from './shared.ts';

/** `SENDING` from the first email until the last one. */
const STATUSES = ['DRAFT', 'SCHEDULED', 'SENDING', 'SENT'] as const;
const RESEND_HOURS = [12, 24, 48, 72, 96, 120, 144, 168] as const;
const CONTENT_KINDS = ['editor', 'html', 'text'] as const;

export const PublicCampaign = z.object({
  id: Id,
  subject: z.string(),
  reply_to: z.string(),
  language: z.string().nullable(),
  recipient_count: z
    .number()
    .describe(
      'The number of recipients. Before the start, `GET /v2/campaigns/{id}` and the creation return the number of subscribers who would receive the campaign now; other responses contain 0.',
    ),
  from: z.string(),
  schedule_time: V2Time.nullable().describe("Local time in the account's time zone."),
  last_action: z.string(),
  sent_time: V2Time.nullable(),
  status: z.enum(STATUSES),
  created: V2Time,
  modified: V2Time,
  title: z.string(),
  domain_id: Id.nullable(),
  preheader: z.string(),
  auto_followup_active: Flag,
  auto_followup_subject: z.string().nullable(),
  auto_followup_delay: z.number().nullable(),
  send_to_all: Flag,
  sent_count: z.number(),
  campaign_groups: z.array(Id),
  segments: z.array(Id),
  ecommerce_tracking_enabled: Flag,
  experiment_id: z.string().nullable(),
  opens: z
    .number()
    .describe('The number of recipients who opened the campaign; opens by machines do not count.'),
  clicks: z
    .number()
    .describe('The number of recipients who clicked; clicks by machines do not count.'),
  bounces_count: z.number(),
  editor: z.enum(CONTENT_KINDS).nullable(),
  html: z.object({
    id: Id.nullable(),
    thumbnail_url: z.string().nullable(),
    has_preview: z.boolean(),
    has_snapshots: z.boolean(),
    /** Included for a single campaign with HTML or plain text. */
    html_content: z.string().nullable(),
  }),
});
export type PublicCampaign = z.infer<typeof PublicCampaign>;

const params = z.object({ id: idOf('campaign') });
/** `ids=a&ids=b`, `ids[]=a`, `ids=[a,b]` and a list in the body are equivalent. */
const IdList = z
  .union([z.string(), z.array(z.string())])
  .optional()
  .transform((ids) =>
    [ids ?? []]
      .flat()
      .flatMap((text) => text.split(/[^A-Za-z0-9]+/))
      .filter(Boolean),
  );
/** Filters the campaigns to delete; `PENDING` means `SCHEDULED`, and `PREPARING` `SENDING`. */
const deletable = {
  status: absent(z.enum(['DRAFT', 'SCHEDULED', 'SENDING', 'SENT', 'PENDING', 'PREPARING'])),
  title: absent(line(MAX_TITLE_LENGTH, 1)),
};
const startErrors = {
  already_scheduled: 409,
  campaign_repeats: 409,
  no_recipients: 422,
  content_invalid: 422,
  document_too_slow: 422,
  sender_not_verified: 422,
  variants_alike: 422,
  experiment_small: 422,
  timing_with_experiment: 409,
  plan_limit: 409,
  account_suspended: 409,
};

export const publicCalls = defineCalls({
  listCampaigns: {
    method: 'GET',
    path: '/v2/campaigns',
    caller: 'account',
    summary: 'List campaigns',
    description:
      'Returns the newest campaigns first, without their content. An unknown `status` is ignored.',
    query: v2List(
      { order: 'created', direction: 'desc' },
      { status: z.enum(STATUSES).optional().catch(undefined) },
    ),
    response: v2Page(PublicCampaign),
  },
  readCampaign: {
    method: 'GET',
    path: '/v2/campaigns/{id}',
    caller: 'account',
    summary: 'Get a campaign with its content',
    description:
      'For a campaign that has not started, `recipient_count` is the number of subscribers who would receive it now. `html.html_content` holds the content of HTML and plain-text campaigns.',
    params,
    response: z.object({ data: PublicCampaign }),
  },
  createCampaign: {
    method: 'POST',
    path: '/v2/campaigns',
    caller: 'account',
    summary: 'Create a campaign',
    description:
      'Creates a draft. Without a title, the subject becomes the title. With the content type `editor`, `content` is ignored, because drag-and-drop content can only be edited in the product.',
    body: z.object({
      title: absent(line(MAX_TITLE_LENGTH, 1)),
      subject: line(MAX_SUBJECT, 1),
      /** The sender name that recipients see. */
      from: line(MAX_NAME_LENGTH, 1),
      preheader: absent(line(MAX_PREHEADER)),
      /** The From and Reply-To address, of a verified domain. */
      reply_to: senderAddress(MAX_EMAIL),
      content_type: z.enum(CONTENT_KINDS),
      content: absent(z.string()),
      google_analytics: flagOr(false),
      auto_followup_active: flagOr(false),
      auto_followup_subject: absent(line(MAX_SUBJECT)),
      auto_followup_delay: absent(
        z
          .union([z.number(), z.string().max(8)])
          .transform(Number)
          .refine(
            (hours) => RESEND_HOURS.some((resendHour) => resendHour === hours),
            'errors.fields.choice',
          ),
      ).describe('Hours after the last email of the campaign; 24 by default.'),
      groups: listedIds('group', MAX_GROUPS),
      segments: listedIds('segment', MAX_SEGMENTS),
    }),
    response: v2Saved(PublicCampaign),
    bodyLimit: 8 * 1024 * 1024,
    example: {
      body: {
        title: 'Spring teas',
        subject: 'The first teas of spring',
        from: 'Tea shop',
        reply_to: 'news@tea.example',
        content_type: 'html',
        content: '<p>They are here. <a href="{{unsubscribe_link}}">Unsubscribe</a></p>',
        groups: ['$GROUP_ID'],
      },
    },
  },
  sendCampaign: {
    method: 'POST',
    path: '/v2/campaigns/{id}/send',
    caller: 'account',
    requiredRight: 'send',
    approval: { kind: 'campaign_schedule', requesterRight: 'drafts' },
    summary: 'Send a campaign now',
    description:
      'Content and recipients are fixed by this request, and the emails are sent in the background. Repeating the request changes nothing. A campaign that is scheduled for later, or was sent at a scheduled time, returns 409 `already_scheduled`.',
    params,
    response: V2SuccessResponse,
    errors: startErrors,
  },
  scheduleCampaign: {
    method: 'POST',
    path: '/v2/campaigns/{id}/schedule',
    caller: 'account',
    requiredRight: 'send',
    approval: { kind: 'campaign_schedule', requesterRight: 'drafts' },
    audit: ['schedule_time'],
    summary: 'Schedule a campaign',
    description:
      "`schedule_time` has the format `YYYY-MM-DD HH:MM:SS` in the account's time zone and is rounded up to a quarter of an hour. Repeating the request with the same time changes nothing; another time returns 409 `already_scheduled`.",
    params,
    body: z.object({ schedule_time: z.string().max(32) }),
    response: V2SuccessResponse,
    errors: startErrors,
    example: { body: { schedule_time: '2030-05-01 09:00:00' } },
  },
  unscheduleCampaign: {
    method: 'DELETE',
    path: '/v2/campaigns/{id}/schedule',
    caller: 'account',
    requiredRight: 'send',
    summary: 'Unschedule or stop a campaign',
    description:
      'Before the first email is sent, the campaign becomes a draft again. Later, the remaining emails are not sent. A finished campaign returns 409 `campaign_finished`.',
    params,
    response: V2SuccessResponse,
    errors: { campaign_finished: 409 },
  },
  cancelFollowUp: {
    method: 'POST',
    path: '/v2/campaigns/{id}/cancel_followup',
    caller: 'account',
    requiredRight: 'send',
    summary: 'Cancel the scheduled resend to non-openers',
    description:
      'Returns 404 if the campaign has no resend, and 409 `resend_started` after the resend has started. Repeating the request changes nothing.',
    params,
    response: V2SuccessResponse,
    errors: { resend_started: 409 },
  },
  copyCampaign: {
    method: 'POST',
    path: '/v2/campaigns/{id}/copy',
    caller: 'account',
    summary: 'Duplicate a campaign',
    description:
      'Creates a draft with the same title, settings, content, recipients and experiment. The schedule and the resend to non-openers are not copied.',
    params,
    response: v2Saved(PublicCampaign),
  },
  deleteCampaign: {
    method: 'DELETE',
    path: '/v2/campaigns/{id}',
    caller: 'account',
    summary: 'Delete a campaign',
    description: 'Returns 409 `campaign_sending` while the campaign is being sent or is paused.',
    params,
    response: V2SuccessResponse,
    errors: { campaign_sending: 409 },
  },
  deleteCampaigns: {
    method: 'DELETE',
    path: '/v2/campaigns',
    caller: 'account',
    summary: 'Delete several campaigns',
    description:
      'Deletes all chosen campaigns or none; up to 100 IDs are accepted. `status` and `title` limit the choice, and titles must match exactly, ignoring case. `ids[]=all` chooses all campaigns that match, and requires at least one of the two.',
    query: z.object({ ids: IdList, 'ids[]': IdList, ...deletable }),
    body: z.object({ ids: IdList, ...deletable }),
    response: V2SuccessResponse,
    errors: { campaign_sending: 409, not_found: 404 },
    example: { query: { 'ids[]': '$CAMPAIGN_ID' } },
  },
  listErrors: {
    method: 'GET',
    path: '/v2/campaigns/{id}/errors',
    caller: 'account',
    summary: 'Validate a campaign before sending',
    description:
      'Returns the codes of errors, which prevent sending, and of warnings, which do not.',
    params,
    response: z.object({ errors: z.array(z.string()), warnings: z.array(z.string()) }),
    errors: { document_too_slow: 422 },
  },
});
