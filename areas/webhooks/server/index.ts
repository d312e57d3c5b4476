// Declares the area of outgoing webhooks and exports what other areas may use.
import { callNeeded } from '#areas/workflows/server/index.ts';
import { type Area, handleQuestion, on } from '#platform/server/area.ts';
import type { Config } from '#platform/server/config.ts';
import type { Reader } from '#platform/server/database/database.ts';
import { addCalls, callsPoller } from './calls.ts';
import { clearPoller, deliverPoller } from './deliver.ts';
import { setHookBoxOrigins } from './hook-box-address.ts';
import { LISTENERS } from './listeners.ts';
import { publicWebhookRoutes } from './public-routes.ts';
import { findEndpointsNaming, listEndpoints } from './endpoints.sql.ts';
import { webhookRoutes } from './routes.ts';
import { contentsNamingAddresses } from '#platform/server/erasure/erasure.ts';

export function area(config: Config): Area {
  return {
    name: 'webhooks',
    description: 'Outgoing webhooks: endpoints, deliveries and the signing secret.',
    routes: [...webhookRoutes, ...publicWebhookRoutes],
    questionHandlers: [handleQuestion(contentsNamingAddresses, findEndpointsNaming)],
    pollers: [deliverPoller, clearPoller, callsPoller],
    eventHandlers: [...LISTENERS, on(callNeeded, addCalls)],
    setUp: () => setHookBoxOrigins(config),
  };
}

export { endpointDisabled } from './events.ts';

/** Returns the URLs of an account's newest endpoints, newest first. */
export async function endpointUrls(
  db: Reader,
  accountId: number,
  limit: number,
): Promise<string[]> {
  return (await listEndpoints(db, accountId, { limit, offset: 0 })).map(({ url }) => url);
}

export { hasValidSignature } from './signing.ts';
