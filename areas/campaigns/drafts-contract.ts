// Campaigns as a list, and each as a draft: its settings and its content.
import { z } from 'zod';
import { Done, defineCalls, line, listAnswer, listQuery } from '#platform/contract.ts';
import { LANGUAGES } from '#platform/languages.ts';
import { Campaign, EmailOrNone, notDraft, one, params } from './campaign-contract.ts';
import {
  NAME_MOST,
  PER_PAGE,
  PREHEADER_MOST,
  STATUSES,
  SUBJECT_MOST,
  TITLE_MOST,
  UTM_MOST,
} from './limits.ts';

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
const Revision = z.number().int().positive().optional();

export const draftCalls = defineCalls({
  listCampaigns: {
    method: 'GET',
    path: '/client-api/api/campaigns',
    who: 'account',
    summary: 'Email campaigns with their figures',
    query: listQuery(
      { sorts: ['created', 'title', 'modified', 'sent', 'scheduled'], perPage: PER_PAGE },
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
  },
});
