// The built-in substitutes for external services, each with its own page, reachable from this
// machine only.
import type { FastifyPluginAsync } from 'fastify';
import type { Config } from '#platform/server/config.ts';
import { type Inbox, inboxRoutes } from '#providers/inbox/index.ts';
import { demoShopPlugins } from './demo-shop.ts';
import { createTestGatewayRoutes } from './gateways.ts';
import { hookBoxPlugins } from './hook-box.ts';
import { phonePlugins } from './sms.ts';

export async function builtInPlugins(
  config: Config,
  inbox: Inbox | undefined,
): Promise<FastifyPluginAsync[]> {
  return [
    ...(await createTestGatewayRoutes(config)),
    ...(inbox ? [inboxRoutes(inbox)] : []),
    ...phonePlugins(config),
    ...hookBoxPlugins(config),
    ...demoShopPlugins(config),
  ];
}
