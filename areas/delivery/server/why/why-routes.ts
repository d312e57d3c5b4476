// Routes of 'why'.
import { type Route, serve } from '#platform/server/http/serve.ts';
import { whyCalls } from '../../why-contract.ts';
import { listSingles, whyCampaign, whyMessage } from './why.ts';

export const whyRoutes: Route[] = serve('feedback', whyCalls, {
  whyCampaign: ({ tx, who, params, query }) =>
    whyCampaign(tx, who.accountId, params.id, query.subscriber),
  whyMessage: ({ tx, who, params, query }) =>
    whyMessage(tx, who.accountId, params.id, query.subscriber),
  listSingles: ({ tx, who, params }) => listSingles(tx, who.accountId, params.id),
});
