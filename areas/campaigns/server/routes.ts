// Routes of campaigns.
import { broadcastRoutes } from '#areas/broadcasts/server/index.ts';
import { composingRoutes, type SendingOptions } from '#areas/content/server/index.ts';
import { type Handlers, type Route, serve } from '#platform/server/http/serve.ts';
import { Campaign } from '../campaign-contract.ts';
import { ownCalls } from '../contract.ts';
import * as campaigns from './campaigns.ts';
import { campaignEmails } from './email.ts';
import { campaignOwner } from './owner.ts';
import * as resends from './resend.ts';

export function campaignRoutes(options: SendingOptions): Route[] {
  const handlers: Handlers<typeof ownCalls> = {
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
    setResend: async ({ tx, who, params, body }) => ({
      data: await resends.setResend(tx, who.accountId, params.id, body.subject, body.hours),
    }),
    cancelResend: async ({ tx, who, params }) => ({
      data: await resends.cancelResend(tx, who.accountId, params.id),
    }),
  };
  return [
    ...serve('campaigns', ownCalls, handlers, {}, 'content'),
    ...broadcastRoutes(campaignOwner(options), Campaign, 'content'),
    ...composingRoutes(campaignEmails(options), options),
  ];
}
