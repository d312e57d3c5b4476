// Routes of 'why'.
import { type Route, serve } from '#platform/server/http/serve.ts';
import { whyCalls } from '../../why-contract.ts';
import { listSingles, whyCampaign, whyMessage } from './why.ts';

export const whyRoutes: Route[] = serve('feedback', whyCalls, {
  whyCampaign: async ({ tx, who, params, query }) => ({
    data: await whyCampaign(tx, who.accountId, params.id, query.subscriber),
  }),
  whyMessage: async ({ tx, who, params, query }) => ({
    data: await whyMessage(tx, who.accountId, params.id, query.subscriber),
  }),
  listSingles: async ({ tx, who, params }) => ({
    data: await listSingles(tx, who.accountId, params.id),
  }),
});
