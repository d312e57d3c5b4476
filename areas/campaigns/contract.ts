// Email campaigns: the calls of specification section 7 'Campaigns', and our own beside them
// (content, checks, test mails, pause, resume, cancel, duplicate).
import { z } from 'zod';
import {
  dataAnswer,
  defineCalls,
  Done,
  Id,
  idOf,
  Instant,
  line,
  listAnswer,
  listQuery,
} from '#platform/contract.ts';
import { LANGUAGES } from '#platform/languages.ts';
import type { EmailDocument } from '#areas/content/document.ts';
import {
  CONTENT_KINDS,
  DELIVERY_STATES,
  EMAIL_MOST,
  EXCLUSIONS,
  GROUPS_MOST,
  NAME_MOST,
  PER_PAGE,
  PREHEADER_MOST,
  RESEND_HOURS_LEAST,
  RESEND_HOURS_MOST,
  RESEND_STATES,
  SEGMENTS_MOST,
  STATUSES,
  STEPS,
  SUBJECT_MOST,
  TESTS_MOST,
  TITLE_MOST,
  UTM_MOST,
} from './limits.ts';

const typedEmail = z.string().trim().max(EMAIL_MOST);
const Email = typedEmail.pipe(z.email());
const EmailOrNone = typedEmail.pipe(z.union([z.literal(''), z.email()]));

export const Group = z.object({ id: Id, title: z.string() });

/** Exact figures; `delivered` is accepted without bounces; opens and clicks count people. */
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

export const Delivery = z.object({
  state: z.enum(DELIVERY_STATES),
  /** Why it is paused or waits: a code; `reply` has the relay's own words. */
  reason: z.string().nullable(),
  reply: z.string().nullable(),
  audience: z.number(),
  /** False while the audience is still being written: `audience` grows. */
  audience_done: z.boolean(),
  accepted: z.number(),
  deferred: z.number(),
  failed: z.number(),
  skipped: z.number(),
  unknown: z.number(),
  remaining: z.number(),
  /** Of these, how many wait for the warm-up of their sending domain, and until when. */
  held: z.number(),
  held_until: Instant.nullable(),
  /** Stopped by the circuit breaker: so many of so many, and the share at which it stops. */
  halted: z.object({ count: z.number(), of: z.number(), limit: z.number() }).nullable(),
  /** Left out of the audience when it was written. */
  excluded: z.array(z.object({ reason: z.enum(EXCLUSIONS), count: z.number() })),
  started_at: Instant.nullable(),
  finished_at: Instant.nullable(),
});

/** A second try for those who opened nothing. */
export const Resend = z.object({
  subject: z.string(),
  /** After the first mail of the campaign. */
  hours: z.number(),
  state: z.enum(RESEND_STATES),
  /** Why it failed: an error's code. */
  reason: z.string().nullable(),
  /** Null until the campaign has left. */
  due_at: Instant.nullable(),
  /** What it became once started. */
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
  /** Added to links as utm_campaign; null adds nothing. */
  utm_campaign: z.string().nullable(),
  status: z.enum(STATUSES),
  last_action: z.enum(STEPS),
  /** Carried by each change of what the campaign says; another one is a 409. */
  revision: z.number(),
  /** What made the content, null while there is none. */
  editor: z.enum(CONTENT_KINDS).nullable(),
  content_revision: z.number().nullable(),
  /** A page of the mail for a sandboxed, scaled frame, to be kept for long; null while it is empty. */
  thumbnail_url: z.string().nullable(),
  send_to_all: z.boolean(),
  tags: z.array(Group),
  exclude_tags: z.array(Group),
  /** Segments that it goes to, and whose people get no copy. */
  filters: z.array(Group),
  exclude_filters: z.array(Group),
  /** Wall time in `schedule_zone`; null: at once, or not scheduled. */
  schedule_time: z.string().nullable(),
  schedule_zone: z.string().nullable(),
  /** The instant that the wall time means. */
  scheduled_at: Instant.nullable(),
  /** Its time passed more than an hour ago without a start: the owner decides. */
  is_late: z.boolean(),
  delivery: Delivery.nullable(),
  figures: Figures.nullable(),
  resend: Resend.nullable(),
  /** The campaign whose unopened copies it follows. */
  resend_of: Id.nullable(),
  sent_at: Instant.nullable(),
  created: Instant,
  modified: Instant,
});
export type Campaign = z.infer<typeof Campaign>;

export const Finding = z.object({
  code: z.string(),
  severity: z.enum(['error', 'warning', 'tip']),
  /** Where to resolve it. */
  step: z.enum(['settings', 'content', 'recipients', 'account']),
  part: z.string(),
  line: z.number().optional(),
  column: z.number().optional(),
  /** The block or section of a document that it is about. */
  node: z.string().optional(),
  values: z.record(z.string(), z.union([z.string(), z.number()])).optional(),
});
export type Finding = z.infer<typeof Finding>;

export const Recipients = z.object({
  /** How many get a copy: each person once. */
  count: z.number(),
  /** Everybody in the chosen groups and segments, each once. */
  total: z.number(),
  excluded: z.array(z.object({ reason: z.enum(EXCLUSIONS), count: z.number() })),
});
export type Recipients = z.infer<typeof Recipients>;

export const Content = z.object({
  editor: z.enum(CONTENT_KINDS).nullable(),
  /** Of the kind `editor`. */
  document: z.custom<EmailDocument>().nullable(),
  html: z.string().nullable(),
  plain_text: z.string().nullable(),
  /** Custom HTML: style sheets are written into the elements when the mail is made. */
  inline_css: z.boolean(),
  content_revision: z.number().nullable(),
  /** The campaign's. */
  revision: z.number(),
  saved_at: Instant.nullable(),
});
export type Content = z.infer<typeof Content>;

const params = z.object({ id: idOf('campaign') });
const Settings = {
  title: line(TITLE_MOST).optional(),
  subject: line(SUBJECT_MOST).optional(),
  preheader: line(PREHEADER_MOST).optional(),
  from_name: line(NAME_MOST).optional(),
  from_email: EmailOrNone.optional(),
  reply_to: EmailOrNone.optional(),
  language: z.enum(LANGUAGES).nullable().optional(),
  utm_campaign: line(UTM_MOST).nullable().optional(),
};
const Words = {
  document: z.custom<EmailDocument>().optional(),
  html: z.string().nullable().optional(),
  plain_text: z.string().nullable().optional(),
  inline_css: z.boolean().optional(),
};
const Revision = z.number().int().positive().optional();
const GroupIds = z.array(idOf('group')).max(GROUPS_MOST);
const SegmentIds = z.array(idOf('segment')).max(SEGMENTS_MOST);
const one = dataAnswer(Campaign);
const groups = dataAnswer(z.array(Group));
const notDraft = { campaign_not_draft: 409 };
const PreviewQuery = z.strictObject({ subscriber: idOf('subscriber').optional() });

export const calls = defineCalls({
  listCampaigns: {
    method: 'GET',
    path: '/client-api/api/campaigns',
    who: 'account',
    summary: 'Email campaigns with their figures',
    query: listQuery(
      { sorts: ['created', 'title', 'modified'], perPage: PER_PAGE },
      { status: z.enum(STATUSES).optional() },
    ),
    answer: listAnswer(Campaign),
  },
  createCampaign: {
    method: 'POST',
    path: '/client-api/api/campaigns',
    who: 'account',
    summary: 'Creates a draft; the first save of its settings does this, not a visit',
    body: z.strictObject(Settings),
    answer: one,
    idempotent: true,
  },
  readCampaign: {
    method: 'GET',
    path: '/client-api/api/campaigns/{id}',
    who: 'account',
    summary: 'One campaign',
    params,
    answer: one,
  },
  updateCampaign: {
    method: 'PATCH',
    path: '/client-api/api/campaigns/{id}',
    who: 'account',
    summary: 'Changes settings of a draft (the title of any); carries the revision that it changes',
    params,
    body: z.strictObject({ revision: Revision, ...Settings }),
    answer: one,
    errors: notDraft,
  },
  deleteCampaign: {
    method: 'DELETE',
    path: '/client-api/api/campaigns/{id}',
    who: 'account',
    summary: 'Removes a campaign from the list; one that is being sent must be cancelled first',
    params,
    answer: Done,
    errors: { campaign_sending: 409 },
  },
  restoreCampaign: {
    method: 'POST',
    path: '/client-api/api/campaigns/{id}/restore',
    who: 'account',
    summary: 'Brings back a campaign that was just removed',
    params,
    answer: one,
  },
  duplicateCampaign: {
    method: 'POST',
    path: '/client-api/api/campaigns/{id}/duplicate',
    who: 'account',
    summary: 'A new draft with the same settings, content and recipients',
    params,
    body: z.strictObject({ title: line(TITLE_MOST).optional() }),
    answer: one,
    idempotent: true,
  },
  readContent: {
    method: 'GET',
    path: '/client-api/api/campaigns/{id}/content',
    who: 'account',
    summary: 'The content as its editor saved it',
    params,
    answer: dataAnswer(Content),
  },
  saveContent: {
    method: 'PUT',
    path: '/client-api/api/campaigns/{id}/content',
    who: 'account',
    summary:
      'Saves a new revision of the content: a document, custom HTML, or plain text. Another kind than before leaves the old content behind and must be confirmed',
    params,
    body: z.strictObject({
      revision: Revision,
      editor: z.enum(CONTENT_KINDS),
      ...Words,
      /** Content of another kind is there, and may be left behind. */
      confirm_switch: z.boolean().optional(),
    }),
    answer: dataAnswer(Content),
    errors: {
      ...notDraft,
      editor_switch: 409,
      document_invalid: 422,
      document_newer: 422,
    },
    bodyLimit: 8 * 1024 * 1024,
  },
  showThumbnail: {
    method: 'GET',
    path: '/client-api/api/campaigns/{id}/thumbnail',
    who: 'account',
    summary: 'The mail as a page, for small pictures of it',
    params,
    query: z.object({ v: z.string().max(64).optional() }),
  },
  readTags: {
    method: 'GET',
    path: '/client-api/api/campaigns/{id}/tags',
    who: 'account',
    summary: 'The groups that it goes to',
    params,
    answer: groups,
  },
  setTags: {
    method: 'POST',
    path: '/client-api/api/campaigns/{id}/tags/set',
    who: 'account',
    summary: 'Chooses the groups that it goes to, or everybody',
    params,
    body: z.strictObject({ tags_arr: GroupIds, send_to_all: z.boolean().optional() }),
    answer: groups,
    errors: notDraft,
  },
  readExcludedTags: {
    method: 'GET',
    path: '/client-api/api/campaigns/{id}/exclude_tags',
    who: 'account',
    summary: 'The groups whose people get no copy, whatever else they are in',
    params,
    answer: groups,
  },
  setExcludedTags: {
    method: 'POST',
    path: '/client-api/api/campaigns/{id}/exclude_tags/set',
    who: 'account',
    summary: 'Chooses the groups whose people get no copy',
    params,
    body: z.strictObject({ tags_arr: GroupIds }),
    answer: groups,
    errors: notDraft,
  },
  clearExcludedTags: {
    method: 'DELETE',
    path: '/client-api/api/campaigns/{id}/exclude_tags/all',
    who: 'account',
    summary: 'Excludes nobody',
    params,
    answer: groups,
    errors: notDraft,
  },
  readSegments: {
    method: 'GET',
    path: '/client-api/api/campaigns/{id}/filters',
    who: 'account',
    summary: 'The segments that it goes to',
    params,
    answer: groups,
  },
  setSegments: {
    method: 'POST',
    path: '/client-api/api/campaigns/{id}/filters/set',
    who: 'account',
    summary: 'Chooses the segments that it goes to, beside its groups; any ends send_to_all',
    params,
    body: z.strictObject({ filters_arr: SegmentIds }),
    answer: groups,
    errors: notDraft,
  },
  readExcludedSegments: {
    method: 'GET',
    path: '/client-api/api/campaigns/{id}/exclude_filters',
    who: 'account',
    summary: 'The segments whose people get no copy, whatever else they are in',
    params,
    answer: groups,
  },
  setExcludedSegments: {
    method: 'POST',
    path: '/client-api/api/campaigns/{id}/exclude_filters/set',
    who: 'account',
    summary: 'Chooses the segments whose people get no copy',
    params,
    body: z.strictObject({ filters_arr: SegmentIds }),
    answer: groups,
    errors: notDraft,
  },
  clearExcludedSegments: {
    method: 'DELETE',
    path: '/client-api/api/campaigns/{id}/exclude_filters/all',
    who: 'account',
    summary: 'Excludes nobody by segment',
    params,
    answer: groups,
    errors: notDraft,
  },
  countRecipients: {
    method: 'GET',
    path: '/client-api/api/campaigns/{id}/subscribers',
    who: 'account',
    summary: 'The possible count: each person once, and why others get no copy',
    params,
    answer: dataAnswer(Recipients),
  },
  scheduleCampaign: {
    method: 'POST',
    path: '/client-api/api/campaigns/{id}/schedule',
    who: 'account',
    summary: "Sends at a wall time in the account's zone, or now (null). Repeats change nothing",
    params,
    body: z.strictObject({ schedule_time: z.string().max(19).nullable().optional() }),
    answer: one,
    errors: {
      already_scheduled: 409,
      content_invalid: 422,
      nobody_to_send_to: 422,
      sender_not_verified: 422,
    },
    idempotent: true,
  },
  cancelCampaign: {
    method: 'POST',
    path: '/client-api/api/campaigns/{id}/cancel',
    who: 'account',
    summary: 'Takes back a schedule, or stops a sending for good',
    params,
    answer: one,
    errors: { campaign_finished: 409 },
  },
  pauseCampaign: {
    method: 'POST',
    path: '/client-api/api/campaigns/{id}/pause',
    who: 'account',
    summary: 'Pauses a sending',
    params,
    answer: one,
    errors: { campaign_not_sending: 409 },
  },
  resumeCampaign: {
    method: 'POST',
    path: '/client-api/api/campaigns/{id}/resume',
    who: 'account',
    summary: 'Goes on with a paused sending',
    params,
    answer: one,
    errors: { campaign_not_sending: 409 },
  },
  retryCampaign: {
    method: 'POST',
    path: '/client-api/api/campaigns/{id}/retry',
    who: 'account',
    summary:
      'Sends again to those who were refused for no fault of their own, or of whom nobody knows',
    params,
    body: z.strictObject({ which: z.enum(['failed', 'unknown']) }),
    answer: dataAnswer(z.object({ retried: z.number() })),
    errors: { campaign_not_sending: 409 },
    idempotent: true,
  },
  setResend: {
    method: 'PUT',
    path: '/client-api/api/campaigns/{id}/resend',
    who: 'account',
    summary:
      'Mails again whoever opened nothing, some hours after the first mail, under this subject',
    params,
    body: z.strictObject({
      subject: line(SUBJECT_MOST, 1),
      hours: z.number().int().min(RESEND_HOURS_LEAST).max(RESEND_HOURS_MOST),
    }),
    answer: one,
    errors: { resend_started: 409, resend_of_resend: 409 },
  },
  cancelResend: {
    method: 'DELETE',
    path: '/client-api/api/campaigns/{id}/resend',
    who: 'account',
    summary: 'Takes back a second try that has not started',
    params,
    answer: one,
    errors: { resend_started: 409 },
  },
  previewCampaign: {
    method: 'GET',
    path: '/client-api/api/campaigns/{id}/preview',
    who: 'account',
    summary:
      'The HTML as a subscriber would get it; links lead where they lead, nothing is counted',
    params,
    query: PreviewQuery,
    answer: dataAnswer(
      z.object({
        subject: z.string(),
        preheader: z.string(),
        html: z.string().nullable(),
        size: z.number(),
      }),
    ),
    errors: { content_invalid: 422 },
  },
  previewPlain: {
    method: 'GET',
    path: '/client-api/api/campaigns/{id}/plain_preview',
    who: 'account',
    summary: 'The plain text as a subscriber would get it',
    params,
    query: PreviewQuery,
    answer: dataAnswer(z.object({ subject: z.string(), preheader: z.string(), text: z.string() })),
    errors: { content_invalid: 422 },
  },
  previewDraft: {
    method: 'POST',
    path: '/client-api/api/campaigns/{id}/preview',
    who: 'account',
    summary: 'Preview and checks of content that is not saved yet',
    params,
    body: z.strictObject({
      editor: z.enum(CONTENT_KINDS),
      ...Words,
      subscriber: idOf('subscriber').optional(),
    }),
    answer: dataAnswer(
      z.object({
        subject: z.string(),
        preheader: z.string(),
        html: z.string().nullable(),
        text: z.string().nullable(),
        size: z.number(),
        findings: z.array(Finding),
      }),
    ),
    bodyLimit: 8 * 1024 * 1024,
  },
  listPreviewPeople: {
    method: 'GET',
    path: '/client-api/api/campaigns/{id}/preview_people',
    who: 'account',
    summary: 'A few subscribers to preview as',
    params,
    query: z.strictObject({ search: z.string().max(255).optional() }),
    answer: dataAnswer(z.array(z.object({ id: Id, email: z.string(), name: z.string() }))),
  },
  checkCampaign: {
    method: 'GET',
    path: '/client-api/api/campaigns/{id}/checks',
    who: 'account',
    summary: 'What to know before sending: errors, warnings and tips, worst first',
    params,
    answer: dataAnswer(z.array(Finding)),
  },
  checkLinks: {
    method: 'GET',
    path: '/client-api/api/campaigns/{id}/checks/links',
    who: 'account',
    summary: 'The links that do not exist or do not answer; asks each of them over the network',
    params,
    answer: dataAnswer(z.array(Finding)),
    transaction: 'own',
  },
  testCampaign: {
    method: 'POST',
    path: '/client-api/api/campaigns/{id}/test',
    who: 'account',
    summary: 'Sends the mail as it is now to a few addresses',
    params,
    body: z.strictObject({
      emails: z.array(Email).min(1).max(TESTS_MOST),
      subscriber: idOf('subscriber').optional(),
    }),
    answer: dataAnswer(z.object({ sent: z.number() })),
    errors: { content_invalid: 422, sender_not_verified: 422 },
    idempotent: true,
  },
  listMergeTags: {
    method: 'GET',
    path: '/client-api/api/campaigns/{id}/merge_tags',
    who: 'account',
    summary: 'What merge tags may name in this account',
    params,
    answer: dataAnswer(
      z.array(
        z.object({
          name: z.string(),
          title: z.string(),
          kind: z.enum(['person', 'field', 'system']),
        }),
      ),
    ),
  },
});
