// The web role: calls, public pages, the built client.
import path from 'node:path';
import { authenticate } from '#areas/accounts/server/index.ts';
import type { Config } from '#platform/server/config.ts';
import { createServer } from '#platform/server/http/server.ts';
import { boot } from './boot.ts';
import { allPlugins, allRoutes } from './wiring.ts';

export async function startWeb(config: Config): Promise<{ close(): Promise<void>; port: number }> {
  const app = await boot(config, 'web');
  const server = await createServer({
    config,
    db: app.db,
    routes: allRoutes(config),
    authenticate,
    plugins: allPlugins(config),
    clientFolder: path.resolve(import.meta.dirname, '../dist/web'),
  });
  await server.listen({ port: config.port, host: config.host });
  const address = server.server.address();
  return {
    port: typeof address === 'object' && address ? address.port : config.port,
    async close() {
      await server.close();
      await app.close();
    },
  };
}
