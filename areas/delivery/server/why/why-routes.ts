// Routes for the delivery explanation.
import { type Route, createRoutes } from '#platform/server/http/serve.ts';
import { whyCalls } from '../../why-contract.ts';
import { listSingles, explainCampaignDelivery, explainMessageDelivery } from './why.ts';

export const whyRoutes: Route[] = createRoutes('feedback', whyCalls, {
  whyCampaign: ({ tx, caller, params, query }) =>
    explainCampaignDelivery(tx, caller.accountId, params.id, query.subscriber),
  whyMessage: ({ tx, caller, params, query }) =>
    explainMessageDelivery(tx, caller.accountId, params.id, query.subscriber),
  listSingles: ({ tx, caller, params }) => listSingles(tx, caller.accountId, params.id),
});
