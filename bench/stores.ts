// Measures the first import of a store, with pages of a hundred orders that are available without
// delay, compared with one COPY of the same rows into tables with the same indexes. Then it
// measures webhooks, which are answered once stored. npm run bench -- stores [--json] [--orders
// 100000] [--hooks 5000]
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { sql } from 'kysely';
import { type Adapter, configureAdapters } from '#areas/stores/server/adapter.ts';
import { insertStoreHooks } from '#areas/stores/server/inbox.sql.ts';
import { sealSecret } from '#areas/stores/server/keys.ts';
import { configureStores } from '#areas/stores/server/settings.ts';
import { syncStore } from '#areas/stores/server/sync.ts';
import type { StoreOrder } from '#areas/stores/server/store-payloads.ts';
import { migrateDatabase } from '#main/prepare.ts';
import { createDatabase, type Db, inCopyTransaction } from '#platform/server/database/database.ts';
import { startEmbeddedPostgres } from '#platform/server/database/embedded-postgres.ts';
import { configureSecrets } from '#platform/server/secrets.ts';
import { createBatchWriter } from '#platform/server/database/batching.ts';
import { percentile, measureDuration } from './kit/figures.ts';
import { addPeople } from './send/setup.ts';

const { values } = parseArgs({
  options: {
    json: { type: 'boolean', default: false },
    orders: { type: 'string', default: '100000' },
    hooks: { type: 'string', default: '5000' },
  },
  allowPositionals: true,
});
const count = Number(values.orders);
const hooks = Number(values.hooks);
const PAGE = 100;
const MIN_RATIO = 0.3;
const MAX_HOOK_MS = 50;

const storeOrder = (n: number, buyers: number): StoreOrder => ({
  aliases: [`order:${n}`],
  number: String(n),
  customer: {
    ...{ remoteId: String(n % buyers), email: `person${1 + (n % buyers)}@example.com` },
    ...{ phone: null, firstname: 'Åse', lastname: 'Nordmann', consentAt: null, groups: [] },
    consent: 'open',
  },
  status: 'processing',
  isPaid: true,
  ...{ isFulfilled: undefined, isCancelled: undefined, isRefunded: undefined, refunded: null },
  ...{ total: 25.5, subtotal: 20, tax: 5.5, discount: null, shipping: null, currency: 'EUR' },
  placedAt: new Date(1_700_000_000_000 + n * 1000),
  reportedAt: new Date(1_700_000_000_000 + n * 1000),
  lines: [0, 1].map((line) => ({
    ...{ remoteId: String((n + line) % 500), sku: null, title: `Tea ${(n + line) % 500}` },
    ...{ quantity: 1, price: 12.75, imageUrl: null, url: null },
  })),
  cart: null,
});

/**
 * Creates an adapter that returns pages without delay, because the store itself is not measured.
 */
const shopOf = (buyers: number): Adapter => ({
  type: 'woocommerce',
  check: async () => ({ title: 'Tea', domain: 'tea.example', currency: 'EUR', zone: 'UTC' }),
  registerWebhooks: async (_credentials, { secret }) => secret,
  async fetchChanges(_credentials, kind, { cursor }) {
    if (kind !== 'orders') return { next: null };
    const offset = Number(cursor ?? 0);
    const orders = Array.from({ length: Math.min(PAGE, count - offset) }, (_, n) =>
      storeOrder(offset + n, buyers),
    );
    return { orders, next: offset + PAGE < count ? String(offset + PAGE) : null };
  },
  verifyWebhook: () => ({ kind: 'refused' }),
  parseWebhook: () => undefined,
  disconnect: async () => undefined,
});

async function firstImport(db: Db, accountId: number, storeId: number): Promise<void> {
  await syncStore(db, accountId, storeId, new AbortController().signal);
  const { rows } = await sql<{ orders: number }>`
    select count(*)::int as orders from orders where account_id = ${accountId}`.execute(db);
  if (rows[0]?.orders !== count) throw new Error(`${rows[0]?.orders} orders were stored`);
}

/** Writes the same rows into identical tables, by one COPY each. Returns the milliseconds. */
async function timeCopy(db: Db): Promise<number> {
  const dump = async (table: string) => {
    const { rows } = await sql<{ line: string }>`
      select ${sql.table(table)}::text as line from ${sql.table(table)}`.execute(db);
    await sql`create table ${sql.table(`bare_${table}`)} (like ${sql.table(table)} including all)`.execute(
      db,
    );
    return rows.map(({ line }) => line);
  };
  const tables = ['orders', 'order_products', 'order_aliases'];
  const lines = new Map<string, Buffer[]>();
  for (const table of tables)
    lines.set(
      table,
      (await dump(table)).map((line) => Buffer.from(`${line.slice(1, -1)}\n`)),
    );
  return measureDuration(() =>
    inCopyTransaction(db, async (_, copy) => {
      for (const table of tables)
        await copy(`copy bare_${table} from stdin with (format csv)`, lines.get(table) ?? []);
    }),
  );
}

/**
 * Stores webhooks that arrive at 1,000 per second. Each is answered once its batch is committed.
 */
async function storeHooks(db: Db, accountId: number, storeId: number): Promise<number[]> {
  const inbox = createBatchWriter<number, undefined>(500, async (batch) => {
    const rows = batch.map((n) => ({
      ...{ accountId, storeId, key: `order.updated ${n}`, topic: 'order.updated' },
      body: { id: n, status: 'processing', total: '25.50', billing: { email: `p${n}@x.example` } },
    }));
    await insertStoreHooks(db, accountId, rows, new Date());
    return batch.map(() => undefined);
  });
  const durations: number[] = [];
  const startedAt = performance.now();
  await Promise.all(
    Array.from({ length: hooks }, async (_, n) => {
      const dueAt = startedAt + n;
      await new Promise((resolve) => setTimeout(resolve, Math.max(0, dueAt - performance.now())));
      durations.push(await measureDuration(() => inbox.add(n)));
    }),
  );
  return durations;
}

async function run(db: Db): Promise<void> {
  const buyers = Math.max(1, Math.round(count / 5));
  const accountId = await addPeople(db, buyers);
  const now = new Date();
  configureAdapters([shopOf(buyers)]);
  const keys = sealSecret(
    JSON.stringify({ address: 'https://tea.example', key: 'k', secret: 's' }),
  );
  const { rows } = await sql<{ id: number }>`insert into stores
    (account_id, type, title, domain, currency, state, credentials, created_at, modified_at)
    values (${accountId}, 'woocommerce', 'Tea', 'tea.example', 'EUR', 'connecting', ${keys}, ${now}, ${now})
    returning id`.execute(db);
  const storeId = rows[0]?.id as number;
  const importMs = await measureDuration(() => firstImport(db, accountId, storeId));
  await sql`analyze`.execute(db);
  const copyMs = await timeCopy(db);
  const durations = await storeHooks(db, accountId, storeId);
  const ratio = Math.round((copyMs / importMs) * 1000) / 1000;
  const p95 = Math.round(percentile(durations, 0.95) * 10) / 10;
  const result = { orders: count, perSecond: Math.round((count / importMs) * 1000), ratio, p95 };
  if (values.json) console.log(JSON.stringify(result));
  else {
    console.log(`${count} orders by pages of ${PAGE}: ${result.perSecond} a second`);
    console.log(`ratio to one COPY of the same rows: ${ratio} (at least ${MIN_RATIO})`);
    console.log(`${hooks} hooks at 1,000 a second: p95 ${p95} ms (at most ${MAX_HOOK_MS})`);
  }
}

const folder = mkdtempSync(join(tmpdir(), 'sendloom-stores-'));
configureSecrets('a secret of the benchmark, thirty-two characters');
configureStores({ publicUrl: 'https://sendloom.example', demo: undefined });
const server = await startEmbeddedPostgres({ folder });
try {
  await migrateDatabase(server.url);
  const db = createDatabase(server.url, 5);
  await run(db);
  await db.destroy();
} finally {
  await server.stop();
  rmSync(server.cluster, { recursive: true, force: true });
  rmSync(folder, { recursive: true, force: true });
}
