// Routes for campaigns.
import { broadcastRoutes, experimentRoutes } from '#areas/broadcasts/server/index.ts';
import { itemRoutes } from '#areas/folders/server/index.ts';
import { composingRoutes, type SendingOptions } from '#areas/content/server/index.ts';
import { type Handlers, type Route, createRoutes } from '#platform/server/http/serve.ts';
import { Campaign } from '../campaign-contract.ts';
import { ownCalls } from '../contract.ts';
import { CampaignExperiment, ExperimentInput } from '../experiment-contract.ts';
import * as campaigns from './campaigns.ts';
import { campaignItems, listWithPlaces } from './list.ts';
import { copyToAccount } from './copy-to-account.ts';
import { campaignEmails } from './email.ts';
import { campaignExperiments, variantEmails } from './experiments.ts';
import * as forecasts from './forecasts.ts';
import { campaignAdapter } from './adapter.ts';
import { listLimits } from './pilot-limits.ts';
import { readPlacement } from './placement.ts';
import * as resends from './resend.ts';

const EXPERIMENT = { output: CampaignExperiment, input: ExperimentInput };

export function campaignRoutes(options: SendingOptions): Route[] {
  const adapter = campaignAdapter(options);
  const handlers: Handlers<typeof ownCalls> = {
    listCampaigns: ({ tx, caller, query }) => listWithPlaces(tx, caller.accountId, query),
    createCampaign: ({ tx, caller, body }) => campaigns.createCampaign(tx, caller, body),
    readCampaign: ({ tx, caller, params }) =>
      campaigns.readCampaign(tx, caller.accountId, params.id),
    updateCampaign: ({ tx, caller, params, body: { revision, ...settings } }) =>
      campaigns.updateCampaign(tx, caller, params.id, revision, settings),
    deleteCampaign: ({ tx, caller, params }) =>
      campaigns.deleteCampaign(tx, caller.accountId, params.id),
    restoreCampaign: ({ tx, caller, params }) =>
      campaigns.restoreCampaign(tx, caller.accountId, params.id),
    duplicateCampaign: ({ tx, caller, params, body }) =>
      campaigns.duplicateCampaign(tx, caller, params.id, body.title),
    copyToAccount: ({ db, caller, params, body }) =>
      copyToAccount(db, caller, params.id, body.account),
    setResend: ({ tx, caller, params, body }) =>
      resends.setResend(tx, caller.accountId, params.id, body.subject, body.hours),
    cancelResend: ({ tx, caller, params }) => resends.cancelResend(tx, caller.accountId, params.id),
    forecastCampaign: ({ db, caller, params }) =>
      forecasts.forecastDraft(db, caller.accountId, params.id),
    getForecast: ({ tx, caller, params }) =>
      forecasts.findForecast(tx, caller.accountId, params.id),
    listLimits: ({ tx, caller, params }) => listLimits(tx, caller.accountId, params.id),
    getPlacement: ({ tx, caller, params }) => readPlacement(tx, caller.accountId, params.id),
    addForecastExclusion: ({ tx, caller, params, body }) =>
      forecasts.excludeInactive(tx, adapter, caller, params.id, body),
  };
  return [
    ...createRoutes('campaigns', ownCalls, handlers, {}, 'content'),
    ...broadcastRoutes(adapter, Campaign, 'content'),
    ...experimentRoutes(campaignExperiments(options), EXPERIMENT, 'content'),
    ...composingRoutes(campaignEmails(options), options),
    ...composingRoutes(variantEmails(), options),
    ...itemRoutes(campaignItems),
  ];
}
