// Starts a product for one benchmark: a migrated database and the parts of the web role. The
// database is that of DATABASE_URL, or a temporary one that is removed at the end.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { FastifyInstance } from 'fastify';
import pg from 'pg';
import { authenticate } from '#areas/accounts/server/index.ts';
import { boot } from '#main/boot.ts';
import { migrateDatabase } from '#main/prepare.ts';
import { allPlugins, allRoutes } from '#main/wiring.ts';
import { loadConfig } from '#platform/server/config.ts';
import type { Db } from '#platform/server/database/database.ts';
import { startEmbeddedPostgres } from '#platform/server/database/embedded-postgres.ts';
import { createServer } from '#platform/server/http/server.ts';

interface OwnProduct {
  app: FastifyInstance;
  db: Db;
  /** A connection outside of the product's pool, for hand-written statements. */
  database: pg.Client;
  /** The URL at which `app` listens, such as `http://127.0.0.1:41234`. */
  base: string;
}

export async function withProduct(
  name: string,
  work: (product: OwnProduct) => Promise<void>,
  env: NodeJS.ProcessEnv = {},
): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), `sendloom-${name}-`));
  const databaseUrl = process.env.DATABASE_URL;
  const server = databaseUrl ? undefined : await startEmbeddedPostgres({ folder });
  const url = databaseUrl ?? (server?.url as string);
  try {
    await migrateDatabase(url);
    const config = loadConfig({
      NODE_ENV: 'test',
      DATA_DIR: folder,
      SECRET: 'a secret of the benchmark, thirty-two characters',
      DATABASE_URL: url,
      LOG_LEVEL: 'silent',
      ...env,
    });
    const bootedProduct = await boot(config, 'web');
    const app = await createServer({
      config,
      db: bootedProduct.db,
      routes: allRoutes(config),
      authenticate,
      plugins: allPlugins(config),
    });
    const base = await app.listen({ port: 0, host: '127.0.0.1' });
    const database = new pg.Client({ connectionString: url });
    await database.connect();
    try {
      await work({ app, db: bootedProduct.db, database, base });
    } finally {
      await database.end();
      await app.close();
      await bootedProduct.close();
    }
  } finally {
    await server?.stop();
    if (server) rmSync(server.cluster, { recursive: true, force: true });
    rmSync(folder, { recursive: true, force: true });
  }
}
