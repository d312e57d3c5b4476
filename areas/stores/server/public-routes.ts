// Routes for store plugins in the public API.
import { encodeId } from '#platform/ids.ts';
import { clock } from '#platform/server/clock.ts';
import { type Route, createRoutes } from '#platform/server/http/serve.ts';
import { v2Time } from '#platform/v2-contract.ts';
import { publicCalls } from '../public-contract.ts';
import { listAllStores, lockStore, type StoreRow } from './connections.sql.ts';
import { disconnectStore, registerStore, requireStore } from './connections.ts';
import { upsertCustomers } from './customers.ts';
import { readCustomer, parseImportedOrder, readProduct } from './plugin-payloads.ts';
import { upsertProducts } from './products.ts';
import { upsertOrders } from './save-orders.ts';
import { presentFindings } from './shown-findings.ts';
import { readStoreZone } from './zone.ts';

export const publicStoreRoutes: Route[] = createRoutes('stores', publicCalls, {
  listStores: async ({ tx, caller }) => {
    const all = await listAllStores(tx, caller.accountId);
    return all.filter(({ state }) => state !== 'disconnected').map(presentStore);
  },
  registerStore: async ({ tx, caller, body, request }) => {
    const token = /^Bearer\s+(\S+)$/i.exec(request.headers.authorization ?? '')?.[1];
    const id = await registerStore(tx, caller.accountId, {
      domain: body.domain,
      name: body.name ?? '',
      type: body.type || 'other',
      token,
    });
    const data = presentStore(await requireStore(tx, caller.accountId, id));
    return { success: true as const, message: 'Store has been connected', data };
  },
  readStore: async ({ tx, caller, params }) =>
    presentStore(await requireStore(tx, caller.accountId, params.id)),
  deleteStore: async ({ tx, caller, params, body }) => {
    await disconnectStore(tx, caller.accountId, params.id, {
      deleteSubscribers: body?.delete_subscribers === true,
      isByOwner: false,
    });
    return { success: true as const, message: 'Store has been disconnected' };
  },
  importShopData: async ({ tx, caller: { accountId }, params, body }) => {
    await lockStore(tx, accountId, params.id);
    const shop = await requireStore(tx, accountId, params.id);
    const moment = { zone: await readStoreZone(tx, accountId, shop), now: clock.now() };
    const customers = (body.customers ?? []).flatMap(
      (customer) => readCustomer(customer, moment) ?? [],
    );
    const products = (body.products ?? []).flatMap((product) => readProduct(product, moment) ?? []);
    const isPrestashop = shop.type === 'prestashop';
    const orders = (body.orders ?? []).flatMap(
      (order) => parseImportedOrder(order, moment, isPrestashop) ?? [],
    );
    if (products.length > 0) await upsertProducts(tx, accountId, shop, products);
    const customerSource = { store: shop, isTrusted: true, isQuiet: true };
    const ofCustomers =
      customers.length > 0
        ? (await upsertCustomers(tx, accountId, customerSource, customers)).findings
        : undefined;
    const ofOrders = await upsertOrders(tx, accountId, shop.id, orders, 'import');
    const message = 'Data has been imported';
    return { success: true as const, message, ...presentFindings(ofCustomers, ofOrders) };
  },
});

const presentStore = ({ id, domain, title, type, currency, created_at }: StoreRow) => ({
  id: encodeId('store', id),
  domain,
  name: title,
  type,
  currency,
  created: v2Time(created_at),
});
