// The calls of campaigns, each as a sentence.
import { composingRoutes, type SendingOptions } from '#areas/content/server/index.ts';
import { type Handlers, type Route, serve } from '#platform/server/http/serve.ts';
import { calls } from '../contract.ts';
import * as campaigns from './campaigns.ts';
import { campaignEmails } from './email.ts';
import * as recipients from './recipients.ts';
import * as resends from './resend.ts';
import * as sending from './schedule-campaign.ts';

export function campaignRoutes(options: SendingOptions): Route[] {
  const handlers: Handlers<typeof calls> = {
    listCampaigns: ({ tx, who, query }) => campaigns.listCampaigns(tx, who.accountId, query),
    createCampaign: async ({ tx, who, body }) => ({
      data: await campaigns.createCampaign(tx, who, body),
    }),
    readCampaign: async ({ tx, who, params }) => ({
      data: await campaigns.readCampaign(tx, who.accountId, params.id),
    }),
    updateCampaign: async ({ tx, who, params, body: { revision, ...settings } }) => ({
      data: await campaigns.updateCampaign(tx, who, params.id, revision, settings),
    }),
    deleteCampaign: async ({ tx, who, params }) => {
      await campaigns.deleteCampaign(tx, who.accountId, params.id);
      return { success: true as const };
    },
    restoreCampaign: async ({ tx, who, params }) => ({
      data: await campaigns.restoreCampaign(tx, who.accountId, params.id),
    }),
    duplicateCampaign: async ({ tx, who, params, body }) => ({
      data: await campaigns.duplicateCampaign(tx, who, params.id, body.title),
    }),
    readTags: async ({ tx, who, params }) => ({
      data: await recipients.readGroups(tx, who.accountId, params.id, false),
    }),
    setTags: async ({ tx, who, params, body }) => ({
      data: await recipients.setGroups(tx, who.accountId, params.id, body.tags_arr, false, {
        sendToAll: body.send_to_all,
        revision: body.revision,
      }),
    }),
    readExcludedTags: async ({ tx, who, params }) => ({
      data: await recipients.readGroups(tx, who.accountId, params.id, true),
    }),
    setExcludedTags: async ({ tx, who, params, body }) => ({
      data: await recipients.setGroups(tx, who.accountId, params.id, body.tags_arr, true, {
        revision: body.revision,
      }),
    }),
    clearExcludedTags: async ({ tx, who, params }) => ({
      data: await recipients.setGroups(tx, who.accountId, params.id, [], true),
    }),
    readSegments: async ({ tx, who, params }) => ({
      data: await recipients.readSegments(tx, who.accountId, params.id, false),
    }),
    setSegments: async ({ tx, who, params, body }) => ({
      data: await recipients.setSegments(
        tx,
        who.accountId,
        params.id,
        body.filters_arr,
        false,
        body.revision,
      ),
    }),
    readExcludedSegments: async ({ tx, who, params }) => ({
      data: await recipients.readSegments(tx, who.accountId, params.id, true),
    }),
    setExcludedSegments: async ({ tx, who, params, body }) => ({
      data: await recipients.setSegments(
        tx,
        who.accountId,
        params.id,
        body.filters_arr,
        true,
        body.revision,
      ),
    }),
    clearExcludedSegments: async ({ tx, who, params }) => ({
      data: await recipients.setSegments(tx, who.accountId, params.id, [], true),
    }),
    countRecipients: async ({ tx, who, params }) => ({
      data: await recipients.countRecipients(tx, who.accountId, params.id),
    }),
    scheduleCampaign: async ({ tx, who, params, body }) => ({
      data: await sending.scheduleCampaign(
        tx,
        who.accountId,
        params.id,
        body.schedule_time ?? null,
        options,
        body.revision,
      ),
    }),
    cancelCampaign: async ({ tx, who, params }) => ({
      data: await sending.cancelCampaign(tx, who.accountId, params.id),
    }),
    pauseCampaign: async ({ tx, who, params }) => ({
      data: await sending.pauseCampaign(tx, who.accountId, params.id),
    }),
    resumeCampaign: async ({ tx, who, params }) => ({
      data: await sending.resumeCampaign(tx, who.accountId, params.id),
    }),
    retryCampaign: async ({ tx, who, params, body }) => ({
      data: { retried: await sending.retryCampaign(tx, who.accountId, params.id, body.which) },
    }),
    setResend: async ({ tx, who, params, body }) => ({
      data: await resends.setResend(tx, who.accountId, params.id, body.subject, body.hours),
    }),
    cancelResend: async ({ tx, who, params }) => ({
      data: await resends.cancelResend(tx, who.accountId, params.id),
    }),
  };
  return [
    ...serve('campaigns', calls, handlers, {}, 'content'),
    ...composingRoutes(campaignEmails(options), options),
  ];
}
