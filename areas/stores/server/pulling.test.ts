// Prefetched pages: each order is stored once in batches of any size, and an invalid page blocks
// only the pages after it.
import { sql } from 'kysely';
import { beforeAll, expect, test } from 'vitest';
import { clock } from '#platform/server/clock.ts';
import { type TestServer, testServer } from '#testing/setup/server.ts';
import { type Adapter, configureAdapters, type StoreChanges, StoreError } from './adapter.ts';
import { sealSecret } from './keys.ts';
import { syncStore } from './sync.ts';
import type { StoreOrder } from './store-payloads.ts';

const PAGE_COUNT = 25;
const ORDERS_PER_PAGE = 4;
let server: TestServer;
/** Response of the store to the request for a page. */
let respond: (page: number) => StoreChanges | Promise<StoreChanges>;
/** Reason for refusing the webhook of orders; undefined registers all webhooks. */
let refusal: string | undefined;

const order = (id: number): StoreOrder => ({
  aliases: [`order:${id}`],
  ...{ number: String(id), status: 'processing', isPaid: true, total: 10, currency: 'EUR' },
  ...{ isFulfilled: undefined, isCancelled: undefined, isRefunded: undefined, refunded: null },
  ...{ subtotal: null, tax: null, discount: null, shipping: null, lines: [], cart: null },
  customer: {
    ...{ remoteId: null, email: `buyer${id % 7}@shop.example`, phone: null, consent: 'open' },
    ...{ firstname: null, lastname: null, consentAt: null, groups: [] },
  },
  placedAt: new Date(Date.UTC(2026, 0, 1, 0, id)),
  reportedAt: new Date(Date.UTC(2026, 0, 1, 0, id)),
});

const pageOf = (page: number): StoreChanges => ({
  orders: Array.from({ length: ORDERS_PER_PAGE }, (_, n) => order(page * ORDERS_PER_PAGE + n)),
  next: page + 1 < PAGE_COUNT ? String(page + 1) : null,
});

const shop: Adapter = {
  type: 'woocommerce',
  check: async () => ({ title: 'Tea', domain: 'tea.example', currency: 'EUR', zone: 'UTC' }),
  registerWebhooks: async (_credentials, { secret, onRefused }) => {
    if (refusal) onRefused?.('ORDERS_CREATE', refusal);
    return secret;
  },
  fetchChanges: async (_credentials, kind, { cursor }) =>
    kind === 'orders' ? respond(Number(cursor ?? 0)) : { next: null },
  verifyWebhook: () => ({ kind: 'refused' }),
  parseWebhook: () => undefined,
  disconnect: async () => undefined,
};

beforeAll(async () => {
  server = await testServer();
  configureAdapters([shop]);
});

async function connectStore() {
  const owner = await server.owner();
  const { accountId } = owner;
  const at = clock.now();
  const keys = sealSecret(
    JSON.stringify({ address: 'https://tea.example', key: 'k', secret: 's' }),
  );
  const { rows } = await sql<{ id: number }>`
    insert into stores (account_id, type, title, domain, currency, state, credentials, created_at,
      modified_at)
    values (${accountId}, 'woocommerce', 'Tea', 'tea.example', 'EUR', 'connecting', ${keys}, ${at},
      ${at}) returning id`.execute(server.db);
  const storeId = rows[0]?.id as number;
  const pull = () => syncStore(server.db, accountId, storeId, new AbortController().signal);
  const storedState = async () => {
    const result = await sql<{ state: string; orders: number; summed: number; progress: number }>`
      select s.state, (s.progress->>'orders')::int as progress,
        (select count(*)::int from orders where account_id = ${accountId}) as orders,
        (select coalesce(sum(order_count), 0)::int from shoppers where account_id = ${accountId})
          as summed
      from stores s where s.account_id = ${accountId}`.execute(server.db);
    return result.rows[0];
  };
  return { owner, pull, storedState, accountId, storeId };
}

const ORDER_COUNT = PAGE_COUNT * ORDERS_PER_PAGE;
const COMPLETE = { state: 'live', orders: ORDER_COUNT, summed: ORDER_COUNT, progress: ORDER_COUNT };
const savedBefore = (page: number) => ({
  orders: page * ORDERS_PER_PAGE,
  summed: page * ORDERS_PER_PAGE,
  progress: page * ORDERS_PER_PAGE,
});

test('each order is stored once, from fast and slow stores', async () => {
  for (const slowMs of [0, 15]) {
    respond = async (page) => {
      await new Promise((resolve) => setTimeout(resolve, slowMs));
      return pageOf(page);
    };
    const { pull, storedState } = await connectStore();
    await pull();
    expect(await storedState()).toEqual(COMPLETE);
  }
});

test('an interrupted import resumes at the page that failed', async () => {
  respond = (page) => {
    if (page === 13) throw new StoreError('unreachable', 'HTTP 500');
    return pageOf(page);
  };
  const { pull, storedState } = await connectStore();
  await pull();
  expect(await storedState()).toEqual({ state: 'failing', ...savedBefore(13) });
  const requestedPages: number[] = [];
  respond = (page) => {
    requestedPages.push(page);
    return pageOf(page);
  };
  await pull();
  expect(requestedPages[0]).toBe(13);
  expect(await storedState()).toEqual(COMPLETE);
});

test('an invalid page blocks only the pages after it', async () => {
  const unreadable = { ...order(1), aliases: ['order:\0'] };
  respond = (page) => (page === 17 ? { ...pageOf(page), orders: [unreadable] } : pageOf(page));
  const { pull, storedState } = await connectStore();
  await pull();
  expect(await storedState()).toEqual({ state: 'failing', ...savedBefore(17) });
  respond = pageOf;
  await pull();
  expect(await storedState()).toEqual(COMPLETE);
});

test('a poll saves no more pages after its store is disconnected', async () => {
  const { pull, storedState, accountId, storeId } = await connectStore();
  respond = async (page) => {
    if (page === 3)
      await sql`update stores set state = 'disconnected' where account_id = ${accountId} and id = ${storeId}`.execute(
        server.db,
      );
    return pageOf(page);
  };
  await pull();
  const finalState = await storedState();
  expect(finalState?.state).toBe('disconnected');
  expect(finalState?.orders).toBeLessThanOrEqual(3 * ORDERS_PER_PAGE);
});

test('a webhook refused by the platform is shown until the next successful registration', async () => {
  respond = pageOf;
  refusal = 'You need the scope read_orders.';
  const { owner, pull, accountId } = await connectStore();
  const readRefusedHooks = async () =>
    (await owner.get('/client-api/api/connected-stores')).body.data[0].refused_hooks;
  await pull();
  expect(await readRefusedHooks()).toEqual(['ORDERS_CREATE: You need the scope read_orders.']);
  refusal = undefined;
  await sql`update stores set hook_secret = null where account_id = ${accountId}`.execute(
    server.db,
  );
  await pull();
  expect(await readRefusedHooks()).toEqual([]);
});
