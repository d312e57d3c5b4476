// The door of outgoing webhooks.
import { callNeeded } from '#areas/workflows/server/index.ts';
import { type Area, on } from '#platform/server/area.ts';
import { addCalls, callsPoller } from './calls.ts';
import { deliverPoller } from './deliver.ts';
import { listeners } from './listeners.ts';
import { publicWebhookRoutes } from './public-routes.ts';

export const area: Area = {
  name: 'webhooks',
  routes: publicWebhookRoutes,
  pollers: [deliverPoller, callsPoller],
  listens: [...listeners, on(callNeeded, addCalls)],
};
