// Routes of campaigns.
import { broadcastRoutes, experimentRoutes } from '#areas/broadcasts/server/index.ts';
import { itemRoutes } from '#areas/folders/server/index.ts';
import { composingRoutes, type SendingOptions } from '#areas/content/server/index.ts';
import { type Handlers, type Route, serve } from '#platform/server/http/serve.ts';
import { Campaign } from '../campaign-contract.ts';
import { ownCalls } from '../contract.ts';
import { Experiment, ExperimentInput } from '../experiment-contract.ts';
import * as campaigns from './campaigns.ts';
import { campaignItems, listWithPlaces } from './listed.ts';
import { copyToAccount } from './copy-to-account.ts';
import { campaignEmails } from './email.ts';
import { campaignExperiments, variantEmails } from './experiments.ts';
import * as forecasts from './forecasts.ts';
import { campaignOwner } from './owner.ts';
import { listLimits } from './pilot-limits.ts';
import { readPlacement } from './placement.ts';
import * as resends from './resend.ts';

const EXPERIMENT = { shown: Experiment, input: ExperimentInput };

export function campaignRoutes(options: SendingOptions): Route[] {
  const owner = campaignOwner(options);
  const handlers: Handlers<typeof ownCalls> = {
    listCampaigns: ({ tx, who, query }) => listWithPlaces(tx, who.accountId, query),
    createCampaign: ({ tx, who, body }) => campaigns.createCampaign(tx, who, body),
    readCampaign: ({ tx, who, params }) => campaigns.readCampaign(tx, who.accountId, params.id),
    updateCampaign: ({ tx, who, params, body: { revision, ...settings } }) =>
      campaigns.updateCampaign(tx, who, params.id, revision, settings),
    deleteCampaign: ({ tx, who, params }) => campaigns.deleteCampaign(tx, who.accountId, params.id),
    restoreCampaign: ({ tx, who, params }) =>
      campaigns.restoreCampaign(tx, who.accountId, params.id),
    duplicateCampaign: ({ tx, who, params, body }) =>
      campaigns.duplicateCampaign(tx, who, params.id, body.title),
    copyToAccount: ({ db, who, params, body }) => copyToAccount(db, who, params.id, body.account),
    setResend: ({ tx, who, params, body }) =>
      resends.setResend(tx, who.accountId, params.id, body.subject, body.hours),
    cancelResend: ({ tx, who, params }) => resends.cancelResend(tx, who.accountId, params.id),
    forecastCampaign: ({ db, who, params }) =>
      forecasts.forecastDraft(db, who.accountId, params.id),
    getForecast: ({ tx, who, params }) => forecasts.findForecast(tx, who.accountId, params.id),
    listLimits: ({ tx, who, params }) => listLimits(tx, who.accountId, params.id),
    getPlacement: ({ tx, who, params }) => readPlacement(tx, who.accountId, params.id),
    addForecastExclusion: ({ tx, who, params, body }) =>
      forecasts.excludeInactive(tx, owner, who, params.id, body),
  };
  return [
    ...serve('campaigns', ownCalls, handlers, {}, 'content'),
    ...broadcastRoutes(owner, Campaign, 'content'),
    ...experimentRoutes(campaignExperiments(options), EXPERIMENT, 'content'),
    ...composingRoutes(campaignEmails(options), options),
    ...composingRoutes(variantEmails(), options),
    ...itemRoutes(campaignItems),
  ];
}
