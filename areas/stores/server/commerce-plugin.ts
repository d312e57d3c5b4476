// /commerce/…: stores report carts, orders and visitors in real time. A plugin with an API token is
// trusted, and so is a call signed with the store's hook secret. The script on the store's pages
// and the servers of other plugins have only the account's public key. With it, they can record a
// visitor and the products that its subscriber viewed, and create, change and close the visitor's
// carts. They can also report the visitor's orders, which remain unconfirmed, and add a subscriber.
// A newsletter sign-up sends a link and takes effect only when the person has confirmed it. Calls
// with the public key return no data. They change neither the catalog nor other visitors' carts,
// nor names, addresses or statuses of existing subscribers.
import { createHmac, timingSafeEqual } from 'node:crypto';
import type { FastifyInstance, FastifyPluginAsync, FastifyReply, FastifyRequest } from 'fastify';
import { authenticate } from '#areas/accounts/server/index.ts';
import { resolveAddresses } from '#areas/subscribers/server/index.ts';
import { decodeAccountKey, decodeId, encodeId } from '#platform/ids.ts';
import { parseJson } from '#platform/server/clean-text.ts';
import { clock } from '#platform/server/clock.ts';
import { inTransaction, type Tx } from '#platform/server/database/database.ts';
import { AppError, invalid, notFound } from '#platform/server/errors.ts';
import { requireRight } from '#platform/server/http/rights.ts';
import { createThrottle } from '#platform/server/limits/throttle.ts';
import { toNetwork } from '#platform/server/limits/visitor-network.ts';
import { endCart, upsertCart } from './carts.ts';
import { claimCarts, findStoresOfCart } from './carts.sql.ts';
import { addConfirmPages } from './confirm-pages.ts';
import { requestConsent } from './confirmations.ts';
import { listAllStores, findStore, type StoreRow } from './connections.sql.ts';
import { extractHost, parseStoreDomain } from './connections.ts';
import { confirmSeenOrder, addTrackedCart } from './converted-carts.ts';
import { findSubscriberOfVisitor, recordVisitor } from './customers.sql.ts';
import { upsertCustomers } from './customers.ts';
import { readHookSecret } from './keys.ts';
import {
  parseCart,
  parseConvertedOrder,
  readCustomer,
  parseOrderStatus,
  toSeenOrder,
  readVisitor,
} from './plugin-payloads.ts';
import { readObject, readText, readYes } from './reading.ts';
import { presentCart } from './present-cart.ts';
import { refreshShoppers } from './stores.sql.ts';
import { upsertOrders } from './save-orders.ts';
import { presentFindings } from './shown-findings.ts';
import type { UnusedEntries, StoreCustomer } from './store-payloads.ts';
import { recordProductView } from './views.ts';
import { readStoreZone } from './zone.ts';

const BODY_LIMIT = 512 * 1024;
/** The limit is high, because a refused cart report is lost: stores do not repeat it. */
const allowsAccount = createThrottle({ capacity: 6_000, perSecond: 100 });
const allowsNetwork = createThrottle({ capacity: 120, perSecond: 2 });

/**
 * Thrown for an untrusted call that only trusted callers may make, or for a page that several
 * stores or none could own.
 */
class Forbidden extends Error {}

type PluginPayload = Record<string, unknown>;

/**
 * A caller with an API token or a valid signature is trusted; one with the public key only is not.
 */
type CommerceCaller = { accountId: number; isTrusted: boolean };

type CommerceCall = {
  tx: Tx;
  caller: CommerceCaller;
  payload: PluginPayload;
  request: FastifyRequest;
};

type CommerceHandler = (call: CommerceCall) => Promise<object>;

export const commercePlugin: FastifyPluginAsync = async (app) => {
  app.addHook('onRequest', async (request, reply) => {
    reply
      .header('access-control-allow-origin', '*')
      .header('access-control-allow-methods', 'GET, POST, PATCH, DELETE')
      .header('access-control-allow-headers', 'content-type, authorization')
      .header('access-control-max-age', '86400')
      .header('cross-origin-resource-policy', 'cross-origin');
    if (request.method === 'OPTIONS') await reply.status(204).send();
  });
  app.removeAllContentTypeParsers();
  app.addContentTypeParser('*', { parseAs: 'string', bodyLimit: BODY_LIMIT }, (_, body, done) =>
    done(null, body),
  );
  app.options('/commerce/*', async (_, reply) => reply.status(204).send());
  const registerRoute = (
    method: 'GET' | 'POST' | 'PATCH' | 'DELETE',
    url: string,
    handler: CommerceHandler,
  ) =>
    app.route({ method, url, handler: (request, reply) => handle(app, request, reply, handler) });
  registerRoute('POST', '/commerce/create_subscriber', createSubscriber);
  registerRoute('POST', '/commerce/visitors', trackVisitor);
  registerRoute('POST', '/commerce/carts', saveCart);
  registerRoute('PATCH', '/commerce/carts/:id', saveCart);
  registerRoute('GET', '/commerce/carts/:id', readCart);
  registerRoute('DELETE', '/commerce/carts/:id', deleteCart);
  registerRoute('POST', '/commerce/carts/:id/convert', convertCart);
  registerRoute('PATCH', '/commerce/carts/:id/status', changeStatus);
  registerRoute('PATCH', '/commerce/subscribers/store/update', updateSubscriber);
  addConfirmPages(app);
};

async function handle(
  app: FastifyInstance,
  request: FastifyRequest,
  reply: FastifyReply,
  handler: CommerceHandler,
): Promise<FastifyReply> {
  const payload = payloadOf(request);
  const caller = await callerOf(app, request, payload);
  const now = clock.now().getTime();
  if (
    !allowsAccount(caller.accountId, now) ||
    (!caller.isTrusted && !allowsNetwork(toNetwork(request.ip), now))
  )
    throw new AppError('too_many_requests', { retryAfterSeconds: 2 });
  try {
    const result = await inTransaction(app.db, (tx) => handler({ tx, caller, payload, request }));
    return await reply.send({ success: true, ...result });
  } catch (error) {
    if (!(error instanceof Forbidden)) throw error;
    const message =
      'With the public key, this call is not permitted, or its page belongs to no single store.';
    return reply.status(403).send({ success: false, message });
  }
}

/**
 * Parses JSON regardless of the content type; lists and strings become an empty object. Without
 * valid JSON, the query parameters are the payload.
 */
function payloadOf(request: FastifyRequest): PluginPayload {
  try {
    return readObject(parseJson(String(request.body ?? '')));
  } catch {
    return readObject(request.query);
  }
}

/**
 * Authenticates a call.
 * @throws 401 without a valid token, public key or signature; 403 if the token lacks the right to
 * change people; 404 if the public key is of another account than the token
 */
async function callerOf(
  app: FastifyInstance,
  request: FastifyRequest,
  payload: PluginPayload,
): Promise<CommerceCaller> {
  if (request.headers.authorization !== undefined) {
    const caller = await authenticate(request, app.db);
    if (caller?.via !== 'token') throw new AppError('unauthorized');
    requireRight(caller, 'people.change');
    const key = readText(payload.resource_key, 100);
    if (key && decodeAccountKey(key) !== caller.accountId) throw notFound();
    return { accountId: caller.accountId, isTrusted: true };
  }
  const accountId = decodeAccountKey(readText(payload.resource_key, 100) ?? '');
  if (accountId === undefined) throw new AppError('unauthorized');
  const signature = request.headers['x-store-signature'];
  if (signature === undefined) return { accountId, isTrusted: false };
  const storeId = decodeId('store', readText(payload.store_id, 100) ?? '');
  const shop = storeId === undefined ? undefined : await findStore(app.db, accountId, storeId);
  const secret = shop && shop.state !== 'disconnected' ? readHookSecret(shop) : undefined;
  if (!secret || !isSigned(String(request.body ?? ''), String(signature), secret))
    throw new AppError('unauthorized');
  return { accountId, isTrusted: true };
}

/** Checks the base64 HMAC-SHA256 of the body, as for webhooks. */
function isSigned(body: string, signature: string, secret: string): boolean {
  const received = Buffer.from(signature, 'base64');
  const expected = createHmac('sha256', secret).update(body).digest();
  return received.length === expected.length && timingSafeEqual(received, expected);
}

/**
 * Finds the connected store of a call. A trusted caller may name it by `store_id`. Otherwise it is
 * the store of the site in `User-Agent`, the store with an open cart of this number, or the only
 * store of the account: the first of these three that is a single store. An untrusted caller may
 * act only for a store on the host of its page. If several stores are on this host, `store_id` or
 * the folder of the page selects one.
 * @throws 403 if an untrusted caller's page belongs to no single store; 404 if a trusted caller
 * names an unknown store, or names none and no single store is found
 */
async function storeOf(call: CommerceCall, cartNumber?: string): Promise<StoreRow> {
  const { tx, caller, payload, request } = call;
  const { accountId, isTrusted } = caller;
  const storeId = decodeId('store', readText(payload.store_id, 100) ?? '');
  const all = (await listAllStores(tx, accountId)).filter(({ state }) => state !== 'disconnected');
  if (!isTrusted) {
    const host = hostOf(request.headers.origin ?? request.headers.referer);
    const onHost = all.filter(({ domain }) => isOn(host, domain));
    const ofPage =
      storeId === undefined
        ? withDeepestFolder(onHost, pagesOf(request, payload))
        : onHost.filter(({ id }) => id === storeId);
    if (ofPage.length !== 1) throw new Forbidden();
    return ofPage[0] as StoreRow;
  }
  if (storeId !== undefined) {
    const shop = await findStore(tx, accountId, storeId);
    if (!shop || shop.state === 'disconnected') throw notFound();
    return shop;
  }
  const site = siteOf(request.headers['user-agent']) ?? '';
  const onSite = all.filter(({ domain }) => isOn(hostOf(site), domain));
  const ofSite = withDeepestFolder(onSite, [site]);
  if (ofSite.length === 1) return ofSite[0] as StoreRow;
  const idsOfCart = cartNumber ? await findStoresOfCart(tx, accountId, cartNumber) : [];
  const ofCart = all.filter(({ id }) => idsOfCart.includes(id));
  const candidates = ofCart.length === 1 ? ofCart : all;
  if (candidates.length !== 1) throw notFound();
  return candidates[0] as StoreRow;
}

/** WordPress sends its site in User-Agent: `WordPress/6.5; https://shop.example`. */
function siteOf(agent: string | undefined): string | undefined {
  return /https?:\/\/[^\s;)]+/.exec(agent ?? '')?.[0];
}

/**
 * Returns the addresses in an untrusted call: the page that runs the script, the cart's URL, and
 * the referer if it has a path.
 */
function pagesOf({ headers }: FastifyRequest, payload: PluginPayload): string[] {
  const referer = headers.referer ?? '';
  const pages = [payload.page, payload.url].flatMap((page) => readText(page, 2_000) ?? []);
  return /^https?:\/\/[^/]+\/./.test(referer) ? [...pages, referer] : pages;
}

/**
 * Returns the stores with the deepest folder that contains one of these pages, or all stores if no
 * folder does.
 */
function withDeepestFolder(stores: readonly StoreRow[], pages: readonly string[]): StoreRow[] {
  if (stores.length < 2) return [...stores];
  const folderOf = (path: string): string =>
    `/${path
      .split('/')
      .filter(Boolean)
      .map((part) => `${part}/`)
      .join('')}`;
  const folders = pages.flatMap((page) =>
    URL.canParse(page) ? folderOf(new URL(page).pathname) : [],
  );
  const depth = ({ domain }: StoreRow): number => {
    const folder = folderOf(domain.slice(extractHost(domain).length));
    return folders.some((pageFolder) => pageFolder.startsWith(folder)) ? folder.length : 0;
  };
  const deepest = Math.max(...stores.map(depth));
  return stores.filter((shop) => depth(shop) === deepest);
}

function hostOf(address: string | undefined): string | undefined {
  return address && URL.canParse(address) ? parseStoreDomain(address) : undefined;
}

function isOn(host: string | undefined, domain: string): boolean {
  const storeHost = extractHost(domain);
  return host !== undefined && (host === storeHost || host.endsWith(`.${storeHost}`));
}

const momentOf = async ({ tx, caller }: CommerceCall, shop: StoreRow) => ({
  zone: await readStoreZone(tx, caller.accountId, shop),
  now: clock.now(),
});

const cartNumberOf = ({ request }: CommerceCall): string => {
  const number = readText((request.params as { id?: unknown }).id, 200);
  if (!number) throw notFound();
  return number;
};

/** Handles an email address entered in the store, or a checked newsletter box. */
async function createSubscriber(call: CommerceCall): Promise<object> {
  const shop = await storeOf(call);
  const customer = readCustomer({ ...call.payload, id: undefined }, await momentOf(call, shop));
  if (!customer?.email) throw invalid({ email: ['errors.fields.required'] });
  const { id, findings } = await personOf(call, shop, customer);
  await recordVisit(call, id);
  // The response must not reveal to a browser whether the person is known.
  if (!call.caller.isTrusted) return {};
  const encodedId = id === null ? null : encodeId('subscriber', id);
  return { id: encodedId, subscriber_id: encodedId, ...presentFindings(findings) };
}

/**
 * Finds or adds the subscriber of a customer; a trusted call also updates them. An untrusted call
 * neither changes nor returns a known subscriber, and its newsletter sign-up only sends a
 * confirmation link.
 */
async function personOf(
  call: CommerceCall,
  shop: StoreRow,
  customer: StoreCustomer | null,
  { isUpdate = false } = {},
): Promise<{ id: number | null; findings?: UnusedEntries }> {
  if (!customer) return { id: null };
  const { tx, caller } = call;
  const { accountId, isTrusted } = caller;
  const customerSource = { store: shop, isTrusted, isQuiet: false, isUpdate };
  if (isTrusted) {
    const upserted = await upsertCustomers(tx, accountId, customerSource, [customer]);
    return { id: upserted.findSubscriberId(customer) ?? null, findings: upserted.findings };
  }
  if (!customer.email) return { id: null };
  const { idByInput: byAddress } = await resolveAddresses(tx, accountId, [customer.email]);
  const [existing] = byAddress.values();
  let addedId: number | undefined;
  if (existing === undefined) {
    const { findSubscriberId: find } = await upsertCustomers(tx, accountId, customerSource, [
      customer,
    ]);
    addedId = find({ ...customer, remoteId: null });
  }
  const subscriberId = existing ?? addedId;
  if (customer.consent === 'subscribed' && subscriberId !== undefined)
    await requestConsent(tx, accountId, shop, {
      subscriberId,
      network: toNetwork(call.request.ip),
    });
  // Anyone can enter any address, so a visitor is linked only to a subscriber whom this call adds.
  return { id: addedId ?? null };
}

/**
 * Records the call's visitor, if it names one. If a subscriber is given, the visitor's carts
 * without a subscriber are assigned to this one.
 */
async function recordVisit(
  { tx, caller, payload }: CommerceCall,
  subscriberId: number | null,
): Promise<void> {
  const visitor = readVisitor(payload.visitor);
  if (!visitor) return;
  await recordVisitor(tx, caller.accountId, { key: visitor, subscriberId, at: clock.now() });
  if (subscriberId === null) return;
  if (await claimCarts(tx, caller.accountId, visitor, subscriberId))
    await refreshShoppers(tx, caller.accountId, [subscriberId]);
}

async function trackVisitor(call: CommerceCall): Promise<object> {
  const shop = await storeOf(call);
  const customer = readCustomer({ email: call.payload.email }, await momentOf(call, shop));
  const { id: knownId } = call.caller.isTrusted
    ? await personOf(call, shop, customer)
    : { id: null };
  await recordVisit(call, knownId);
  const visitor = readVisitor(call.payload.visitor);
  const subscriberId =
    knownId ??
    (visitor && (await findSubscriberOfVisitor(call.tx, call.caller.accountId, visitor)));
  if (subscriberId)
    await recordProductView(call.tx, call.caller.accountId, shop, subscriberId, call.payload);
  return {};
}

async function saveCart(call: CommerceCall): Promise<object> {
  const cartNumber = readText((call.request.params as { id?: unknown }).id, 200) ?? undefined;
  const shop = await storeOf(call, cartNumber);
  const cart = parseCart(call.payload, await momentOf(call, shop), cartNumber);
  if (!cart) throw invalid({ external_id: ['errors.fields.required'] });
  const namedSubscriber = decodeId('subscriber', readText(call.payload.subscriber_id, 100) ?? '');
  const visitorsSubscriber = cart.visitor
    ? await findSubscriberOfVisitor(call.tx, call.caller.accountId, cart.visitor)
    : undefined;
  const { isTrusted } = call.caller;
  if (!isTrusted && !cart.visitor) throw invalid({ visitor: ['errors.fields.required'] });
  const { id: personId } = await personOf(call, shop, cart.customer);
  await recordVisit(call, personId);
  const subscriberId =
    (isTrusted ? namedSubscriber : undefined) ?? personId ?? visitorsSubscriber ?? null;
  await upsertCart(call.tx, call.caller.accountId, shop, cart, { isTrusted, subscriberId });
  return {};
}

async function readCart(call: CommerceCall): Promise<object> {
  if (!call.caller.isTrusted) throw new Forbidden();
  const cartNumber = cartNumberOf(call);
  const shop = await storeOf(call, cartNumber);
  return { data: await presentCart(call.tx, call.caller.accountId, shop, cartNumber) };
}

async function deleteCart(call: CommerceCall): Promise<object> {
  const cartNumber = cartNumberOf(call);
  const { accountId, isTrusted } = call.caller;
  await endCart(call.tx, accountId, await storeOf(call, cartNumber), cartNumber, {
    ...{ isTrusted, visitor: readVisitor(call.payload.visitor), state: 'given_up' },
  });
  return {};
}

async function convertCart(call: CommerceCall): Promise<object> {
  const cartNumber = cartNumberOf(call);
  const shop = await storeOf(call, cartNumber);
  const { accountId, isTrusted } = call.caller;
  const visitor = readVisitor(call.payload.visitor);
  const conversion = parseConvertedOrder(cartNumber, call.payload, await momentOf(call, shop));
  const caller = { isTrusted, visitor };
  const order = await addTrackedCart(call.tx, accountId, shop, conversion, caller);
  if (isTrusted) {
    return presentFindings(await upsertOrders(call.tx, accountId, shop.id, [order], 'plugin'));
  }
  // Without a visitor key, the order cannot be matched to a cart or get aliases of its visitor.
  if (!visitor) return {};
  await personOf(call, shop, order.customer);
  await upsertOrders(call.tx, accountId, shop.id, [toSeenOrder(order, visitor)], 'browser');
  await endCart(call.tx, accountId, shop, cartNumber, { isTrusted, visitor, state: 'ordered' });
  return {};
}

async function changeStatus(call: CommerceCall): Promise<object> {
  const cartNumber = cartNumberOf(call);
  const shop = await storeOf(call, cartNumber);
  const order = parseOrderStatus(cartNumber, call.payload, await momentOf(call, shop));
  // The order state reported by a browser is ignored.
  if (order && call.caller.isTrusted)
    await upsertOrders(call.tx, call.caller.accountId, shop.id, [order], 'plugin');
  return {};
}

async function updateSubscriber(call: CommerceCall): Promise<object> {
  const shop = await storeOf(call);
  const { payload } = call;
  // A report from a browser changes no subscriber.
  if (!call.caller.isTrusted) return {};
  const customer = readCustomer(
    { ...payload, id: undefined, newsletter: readYes(payload.newsletter) },
    await momentOf(call, shop),
  );
  const { id, findings } = await personOf(call, shop, customer, { isUpdate: true });
  const number = readText(readObject(payload.fields).last_order_number, 200);
  if (customer && id !== null && number !== null)
    await confirmSeenOrder(call.tx, call.caller.accountId, shop, {
      ...{ customer, subscriberId: id, number: number.replace(/^#/, '') },
    });
  return presentFindings(findings);
}
