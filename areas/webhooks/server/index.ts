// The door of outgoing webhooks.
import type { Area } from '#platform/server/area.ts';
import { deliverPoller } from './deliver.ts';
import { listeners } from './listeners.ts';
import { publicWebhookRoutes } from './public-routes.ts';

export const area: Area = {
  name: 'webhooks',
  routes: publicWebhookRoutes,
  pollers: [deliverPoller],
  listens: listeners,
};
