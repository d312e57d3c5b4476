// Calls that list campaigns, and that create, read, change, delete, restore and copy single ones.
import { z } from 'zod';
import {
  dataResponse,
  SuccessResponse,
  defineCalls,
  Id,
  idOf,
  line,
  listResponse,
  listQuery,
} from '#platform/contract.ts';
import { LANGUAGES } from '#platform/languages.ts';
import { UtmOverride, UtmValue } from '../content/utm-contract.ts';
import { Earned } from '../stores/earned-contract.ts';
import { ItemPlacement, placeQuery } from '../folders/items-contract.ts';
import { Campaign, EmailOrNone, notDraft, CampaignResponse, params } from './campaign-contract.ts';
import {
  MAX_NAME_LENGTH,
  PER_PAGE,
  MAX_PREHEADER,
  STATUSES,
  MAX_SUBJECT,
  MAX_TITLE_LENGTH,
} from './shared.ts';

const Settings = {
  title: line(MAX_TITLE_LENGTH).optional(),
  subject: line(MAX_SUBJECT).optional(),
  preheader: line(MAX_PREHEADER).optional(),
  from_name: line(MAX_NAME_LENGTH).optional(),
  from_email: EmailOrNone.optional(),
  reply_to: EmailOrNone.optional(),
  language: z.enum(LANGUAGES).nullable().optional(),
  utm_campaign: UtmValue.nullable().optional(),
  utm: UtmOverride.optional(),
};
const Revision = z.number().int().positive().optional();

export const ListedCampaign = Campaign.extend({
  place: ItemPlacement,
  /** One line per currency; null without a connected store. */
  earned: z.array(Earned).nullable(),
});
export type ListedCampaign = z.infer<typeof ListedCampaign>;

export const draftCalls = defineCalls({
  listCampaigns: {
    method: 'GET',
    path: '/client-api/api/campaigns',
    caller: 'account',
    summary: 'List email campaigns with statistics',
    query: listQuery(
      { sorts: ['created', 'title', 'modified', 'sent', 'scheduled'], perPage: PER_PAGE },
      { status: z.enum(STATUSES).optional(), ...placeQuery },
    ),
    response: listResponse(ListedCampaign),
  },
  createCampaign: {
    method: 'POST',
    path: '/client-api/api/campaigns',
    caller: 'account',
    summary: 'Create an email campaign',
    description:
      "Without `utm_campaign`, the account's default decides whether links get UTM parameters.",
    body: z.strictObject(Settings),
    response: CampaignResponse,
  },
  readCampaign: {
    method: 'GET',
    path: '/client-api/api/campaigns/{id}',
    caller: 'account',
    summary: 'Get an email campaign',
    params,
    response: CampaignResponse,
  },
  updateCampaign: {
    method: 'PATCH',
    path: '/client-api/api/campaigns/{id}',
    caller: 'account',
    summary: 'Update an email campaign',
    description:
      'The title can always be changed, all other fields only in a draft. The request names the revision that it changes.',
    params,
    body: z.strictObject({ revision: Revision, ...Settings }),
    response: CampaignResponse,
    errors: notDraft,
  },
  deleteCampaign: {
    method: 'DELETE',
    path: '/client-api/api/campaigns/{id}',
    caller: 'account',
    summary: 'Delete an email campaign',
    description:
      'The deletion can be undone with the restore call. A campaign that is sending must be canceled first.',
    params,
    response: SuccessResponse,
    errors: { campaign_sending: 409 },
  },
  restoreCampaign: {
    method: 'POST',
    path: '/client-api/api/campaigns/{id}/restore',
    caller: 'account',
    summary: 'Restore a deleted email campaign',
    params,
    response: CampaignResponse,
  },
  duplicateCampaign: {
    method: 'POST',
    path: '/client-api/api/campaigns/{id}/duplicate',
    caller: 'account',
    summary: 'Duplicate an email campaign',
    description: 'Copies settings, content and recipients.',
    params,
    body: z.strictObject({ title: line(MAX_TITLE_LENGTH).optional() }),
    response: CampaignResponse,
  },
  copyToAccount: {
    method: 'POST',
    path: '/client-api/api/campaigns/{id}/copy_to_account',
    caller: 'account',
    isPersonal: true,
    transaction: 'own',
    summary: 'Duplicate an email campaign into another account',
    description:
      'The current user must belong to the other account. Copies the content, its images and attachments, and the settings, but not the sender address, the reply address and the recipients, which belong to an account.',
    params,
    body: z.strictObject({ account: idOf('account') }),
    response: dataResponse(z.object({ id: Id })),
    errors: { image_space_full: 422, document_newer: 422 },
  },
});
