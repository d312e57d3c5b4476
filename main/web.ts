// The web role: calls, public pages, the built client; the built-in inbox where there is no relay.
import path from 'node:path';
import { authenticate } from '#areas/accounts/server/index.ts';
import type { Config } from '#platform/server/config.ts';
import { createServer } from '#platform/server/http/server.ts';
import { log } from '#platform/server/log.ts';
import { type Inbox, inboxRoutes, startInbox } from '#providers/inbox/index.ts';
import { boot } from './boot.ts';
import { allPlugins, allRoutes } from './wiring.ts';

export async function startWeb(config: Config): Promise<{ close(): Promise<void>; port: number }> {
  const app = await boot(config, 'web');
  const inbox = await inboxOf(config);
  const server = await createServer({
    config,
    db: app.db,
    routes: allRoutes(config),
    authenticate,
    plugins: [...allPlugins(config), ...(inbox ? [inboxRoutes(inbox)] : [])],
    clientFolder: path.resolve(import.meta.dirname, '../dist/web'),
  });
  await server.listen({ port: config.port, host: config.host });
  const address = server.server.address();
  return {
    port: typeof address === 'object' && address ? address.port : config.port,
    async close() {
      await server.close();
      await inbox?.close();
      await app.close();
    },
  };
}

/** Only where mails have nowhere else to go, and never in production. */
async function inboxOf(config: Config): Promise<Inbox | undefined> {
  if (config.smtpUrl !== undefined || config.isProduction) return undefined;
  return await startInbox({ dataDir: config.dataDir, port: config.inboxSmtpPort, log });
}
