// Calls that list, create, read, update, delete, restore and copy SMS campaigns, and that preview,
// check and test their text.
import { z } from 'zod';
import {
  SuccessResponse,
  dataResponse,
  defineCalls,
  Id,
  idOf,
  Instant,
  line,
  listResponse,
  listQuery,
  text,
} from '#platform/contract.ts';
import { ItemPlacement, placeQuery } from '../folders/items-contract.ts';
import { Earned } from '../stores/earned-contract.ts';
import {
  Flag,
  response,
  params,
  SMS_CAMPAIGNS_PATH,
  SmsCampaign,
  SmsCost,
  SmsFinding,
  SmsPreview,
  SmsUtm,
} from './campaign-contract.ts';
import { PER_PAGE, STATUSES, MAX_TESTS, MAX_TEXT_LENGTH, MAX_TITLE_LENGTH } from './shared.ts';

export const Content = {
  text: text(MAX_TEXT_LENGTH).optional(),
  add_organization_name: Flag.optional(),
  append_opt_out: Flag.optional(),
  google_analytics: Flag.optional(),
};
const Settings = {
  title: line(MAX_TITLE_LENGTH).optional(),
  phone_id: idOf('phone').nullable().optional(),
  utm: SmsUtm.optional(),
  ...Content,
};
export const ListedSms = SmsCampaign.extend({
  place: ItemPlacement,
  /** Attributed revenue by currency; null without a connected store. */
  earned: z.array(Earned).nullable(),
});
export type ListedSms = z.infer<typeof ListedSms>;

const Revision = z.number().int().positive().optional();
const notDraft = { campaign_not_draft: 409 };

export const draftCalls = defineCalls({
  listSmsCampaigns: {
    method: 'GET',
    path: SMS_CAMPAIGNS_PATH,
    caller: 'account',
    summary: 'List SMS campaigns with statistics',
    query: listQuery(
      { sorts: ['created', 'title', 'modified', 'sent', 'scheduled'], perPage: PER_PAGE },
      { status: z.enum(STATUSES).optional(), ...placeQuery },
    ),
    response: listResponse(ListedSms),
  },
  createSmsCampaign: {
    method: 'POST',
    path: SMS_CAMPAIGNS_PATH,
    caller: 'account',
    summary: 'Create an SMS campaign',
    body: z.strictObject(Settings),
    response,
  },
  readSmsCampaign: {
    method: 'GET',
    path: `${SMS_CAMPAIGNS_PATH}/{id}`,
    caller: 'account',
    summary: 'Get an SMS campaign',
    params,
    response,
  },
  updateSmsCampaign: {
    method: 'PATCH',
    path: `${SMS_CAMPAIGNS_PATH}/{id}`,
    caller: 'account',
    summary: 'Update an SMS campaign',
    description:
      'Only the title can be changed after the campaign was scheduled. The request names the revision that it changes.',
    params,
    body: z.strictObject({ revision: Revision, ...Settings }),
    response,
    errors: notDraft,
  },
  deleteSmsCampaign: {
    method: 'DELETE',
    path: `${SMS_CAMPAIGNS_PATH}/{id}`,
    caller: 'account',
    summary: 'Delete an SMS campaign',
    description:
      'The deletion can be undone with the restore call. A campaign that is sending must be canceled first.',
    params,
    response: SuccessResponse,
    errors: { campaign_sending: 409 },
  },
  restoreSmsCampaign: {
    method: 'POST',
    path: `${SMS_CAMPAIGNS_PATH}/{id}/restore`,
    caller: 'account',
    summary: 'Restore a deleted SMS campaign',
    params,
    response,
  },
  duplicateSmsCampaign: {
    method: 'POST',
    path: `${SMS_CAMPAIGNS_PATH}/{id}/duplicate`,
    caller: 'account',
    summary: 'Duplicate an SMS campaign',
    description: 'Copies settings, text and recipients.',
    params,
    body: z.strictObject({ title: line(MAX_TITLE_LENGTH).optional() }),
    response,
  },
  copyToAccount: {
    method: 'POST',
    path: `${SMS_CAMPAIGNS_PATH}/{id}/copy_to_account`,
    caller: 'account',
    isPersonal: true,
    summary: 'Duplicate an SMS campaign into another account',
    description:
      'The current user must belong to the other account. Copies the text without sender and recipients, which belong to an account.',
    params,
    body: z.strictObject({ account: idOf('account') }),
    response: dataResponse(z.object({ id: Id })),
  },
  previewText: {
    method: 'POST',
    path: '/client-api/api/sms/preview',
    caller: 'account',
    requiredRight: 'read',
    summary: 'Preview an SMS as a subscriber',
    description:
      'Links are placeholders of their final length. `worst` is the preview for the recipient whose copy has the most parts.',
    body: z.strictObject({
      ...Content,
      text: text(MAX_TEXT_LENGTH),
      /**
       * The sender. An alphanumeric sender ID receives no replies, so its SMS end with an opt-out
       * link.
       */
      phone_id: idOf('phone').nullable().optional(),
      subscriber: idOf('subscriber').optional(),
    }),
    response: dataResponse(z.object({ shown: SmsPreview, worst: SmsPreview })),
  },
  checkSms: {
    method: 'GET',
    path: `${SMS_CAMPAIGNS_PATH}/{id}/checks`,
    caller: 'account',
    summary: 'Validate an SMS campaign before sending',
    description:
      'Returns the findings with the worst first, the maximum total of parts and cost, and the number of recipients delayed by quiet hours.',
    params,
    response: dataResponse(
      z.object({
        findings: z.array(SmsFinding),
        recipients: z.number(),
        /**
         * Number of recipients in countries that the sender reaches, including recipients in
         * `waits`.
         */
        reachable: z.number(),
        parts: z.number(),
        /** Null if SMS are free for the account. */
        cost: SmsCost.nullable(),
        /** Number of recipients in quiet hours, by when they can receive the SMS. */
        waits: z.array(z.object({ until: Instant, count: z.number() })),
      }),
    ),
  },
  sendTestText: {
    method: 'POST',
    path: `${SMS_CAMPAIGNS_PATH}/{id}/test`,
    caller: 'account',
    summary: 'Send a test SMS to given numbers',
    description: 'Renders the SMS for the newest SMS subscriber.',
    params,
    body: z.strictObject({ phones: z.array(line(64, 1)).min(1).max(MAX_TESTS) }),
    response: dataResponse(z.object({ sent: z.number() })),
    errors: { phone_not_active: 422, not_enough_credit: 422 },
  },
});
