// SMS campaigns as a list, and each as a draft: its settings, its text as people get it, its checks.
import { z } from 'zod';
import {
  Done,
  dataAnswer,
  defineCalls,
  idOf,
  Instant,
  line,
  listAnswer,
  listQuery,
  text,
} from '#platform/contract.ts';
import {
  Flag,
  one,
  params,
  SMS_CALLS,
  SmsCampaign,
  SmsCost,
  SmsFinding,
  SmsPreview,
} from './campaign-contract.ts';
import { PER_PAGE, STATUSES, TESTS_MOST, TEXT_MOST, TITLE_MOST } from './limits.ts';

const Words = {
  text: text(TEXT_MOST).optional(),
  add_organization_name: Flag.optional(),
  append_opt_out: Flag.optional(),
  google_analytics: Flag.optional(),
};
const Settings = {
  title: line(TITLE_MOST).optional(),
  phone_id: idOf('phone').nullable().optional(),
  ...Words,
};
const Revision = z.number().int().positive().optional();
const notDraft = { campaign_not_draft: 409 };

export const draftCalls = defineCalls({
  listSmsCampaigns: {
    method: 'GET',
    path: SMS_CALLS,
    who: 'account',
    summary: 'SMS campaigns with their figures',
    query: listQuery(
      { sorts: ['created', 'title', 'modified', 'sent', 'scheduled'], perPage: PER_PAGE },
      { status: z.enum(STATUSES).optional() },
    ),
    answer: listAnswer(SmsCampaign),
  },
  createSmsCampaign: {
    method: 'POST',
    path: SMS_CALLS,
    who: 'account',
    summary: 'Creates a draft; the first save of its settings does this, not a visit',
    body: z.strictObject(Settings),
    answer: one,
  },
  readSmsCampaign: {
    method: 'GET',
    path: `${SMS_CALLS}/{id}`,
    who: 'account',
    summary: 'One SMS campaign',
    params,
    answer: one,
  },
  updateSmsCampaign: {
    method: 'PATCH',
    path: `${SMS_CALLS}/{id}`,
    who: 'account',
    summary: 'Changes settings of a draft (the title of any); carries the revision that it changes',
    params,
    body: z.strictObject({ revision: Revision, ...Settings }),
    answer: one,
    errors: notDraft,
  },
  deleteSmsCampaign: {
    method: 'DELETE',
    path: `${SMS_CALLS}/{id}`,
    who: 'account',
    summary: 'Removes a campaign from the list; one that is being sent must be cancelled first',
    params,
    answer: Done,
    errors: { campaign_sending: 409 },
  },
  restoreSmsCampaign: {
    method: 'POST',
    path: `${SMS_CALLS}/{id}/restore`,
    who: 'account',
    summary: 'Brings back a campaign that was just removed',
    params,
    answer: one,
  },
  duplicateSmsCampaign: {
    method: 'POST',
    path: `${SMS_CALLS}/{id}/duplicate`,
    who: 'account',
    summary: 'A new draft with the same settings, text and recipients',
    params,
    body: z.strictObject({ title: line(TITLE_MOST).optional() }),
    answer: one,
  },
  previewText: {
    method: 'POST',
    path: '/client-api/api/sms/preview',
    who: 'account',
    summary:
      'A text as a person gets it, links as placeholders of their width; `worst`: whose copy takes the most parts',
    body: z.strictObject({
      ...Words,
      text: text(TEXT_MOST),
      /** What it is sent from: a name takes no answers, so it ends with a link. */
      phone_id: idOf('phone').nullable().optional(),
      subscriber: idOf('subscriber').optional(),
    }),
    answer: dataAnswer(z.object({ shown: SmsPreview, worst: SmsPreview })),
  },
  checkSms: {
    method: 'GET',
    path: `${SMS_CALLS}/{id}/checks`,
    who: 'account',
    summary:
      'Everything to know before sending, worst first; how many parts that is at most, what they cost, who waits until when',
    params,
    answer: dataAnswer(
      z.object({
        findings: z.array(SmsFinding),
        recipients: z.number(),
        parts: z.number(),
        /** null where texts cost nothing here. */
        cost: SmsCost.nullable(),
        /** By the hours of where people are. */
        waits: z.array(z.object({ until: Instant, count: z.number() })),
      }),
    ),
  },
  sendTestText: {
    method: 'POST',
    path: `${SMS_CALLS}/{id}/test`,
    who: 'account',
    summary: 'Sends the text to some numbers, as the newest person who gets texts would get it',
    params,
    body: z.strictObject({ phones: z.array(line(64, 1)).min(1).max(TESTS_MOST) }),
    answer: dataAnswer(z.object({ sent: z.number() })),
    errors: { phone_not_active: 422, not_enough_credit: 422 },
  },
});
