// Contract of stores: connections, orders, products, and values for the segment builder.
import { z } from 'zod';
import {
  dataResponse,
  defineCalls,
  SuccessResponse,
  Id,
  idOf,
  listResponse,
  listQuery,
  Instant,
  line,
} from '#platform/contract.ts';
import { MIN_ABANDONED_MINUTES, MAX_ABANDONED_MINUTES, PLUGIN_PLATFORMS } from './shared.ts';
import { MAX_ORDER_STATES, ORDER_MEANINGS } from './order-meanings.ts';

export const ListedOrder = z.object({
  /** Order number in the store. */
  number: z.string(),
  store: z.string(),
  total: z.number(),
  /** Empty if unknown. */
  currency: z.string(),
  state: z.enum(['placed', 'cancelled', 'refunded']),
  placed: Instant,
  products: z.array(z.object({ title: z.string(), quantity: z.number() })),
});
export type ListedOrder = z.infer<typeof ListedOrder>;

export const ListedProduct = z.object({
  id: Id,
  title: z.string(),
  store: z.string(),
  sku: z.string().nullable(),
  price: z.number().nullable(),
  /** Former price of a product on sale. */
  old_price: z.number().nullable(),
  /** Empty if unknown. */
  currency: z.string(),
  image_url: z.string().nullable(),
  url: z.string().nullable(),
  /** False once the store no longer sells it. */
  is_listed: z.boolean(),
});
export type ListedProduct = z.infer<typeof ListedProduct>;

export const ConnectedStore = z.object({
  id: Id,
  /** woocommerce, shopify, wordpress, prestashop, demo, or as its plugin reports. */
  type: z.string(),
  title: z.string(),
  domain: z.string(),
  /** Empty if unknown. */
  currency: z.string(),
  state: z.enum(['connecting', 'live', 'failing', 'disconnected']),
  /** Reason of the failure; null if there is none. */
  failure: z
    .enum([
      'refused',
      'not_installed',
      'not_permitted',
      'scopes_missing',
      'unreachable',
      'not_a_shop',
      'https_needed',
      'busy',
    ])
    .nullable(),
  /** Topics that the store refused to register webhooks for, each with the reason. */
  refused_hooks: z.array(z.string()),
  failing_since: Instant.nullable(),
  synced: Instant.nullable(),
  next_sync: Instant.nullable(),
  /** True if the store is polled with API keys; false if its plugin reports changes. */
  has_keys: z.boolean(),
  /** Whether a sync can be started: the store has API keys, or a plugin that can be called. */
  can_sync: z.boolean(),
  counts: z.object({ products: z.number(), orders: z.number(), customers: z.number() }),
  /** Progress of the first import. */
  progress: z.object({ products: z.number(), orders: z.number(), customers: z.number() }),
  /** Address for the platform's privacy webhooks; null if it has none. */
  privacy_url: z.string().nullable(),
  /** Group that customers join; null for none. */
  group: Id.nullable(),
  abandoned_minutes: z.number(),
  /**
   * The store's order states without a built-in meaning. Until one is set, their orders do not
   * count.
   */
  order_states: z.array(
    z.object({
      /** The store's own name of the state. */
      state: z.string(),
      /** Number of orders in this state that do not count. */
      orders: z.number(),
      meaning: z.enum(ORDER_MEANINGS).nullable(),
    }),
  ),
  created: Instant,
});
export type ConnectedStore = z.infer<typeof ConnectedStore>;

const store = dataResponse(ConnectedStore);
const params = z.object({ id: idOf('store') });
const Key = line(500, 1);
/**
 * Shopify: `client` if `key` is a client ID, as for all apps created since 2026; `token`, the
 * default, if `key` is the fixed access token of an older app. Not used by WooCommerce.
 */
const Access = z.enum(['client', 'token']).optional();

export const calls = defineCalls({
  listStores: {
    method: 'GET',
    path: '/client-api/api/connected-stores',
    caller: 'account',
    summary: 'List connected stores',
    description: 'Returns the stores sorted by title.',
    response: listResponse(ConnectedStore),
  },
  connectStore: {
    method: 'POST',
    path: '/client-api/api/connected-stores',
    caller: 'account',
    requiredRight: 'settings',
    summary: 'Add a store by address and API keys',
    description: 'The first import of customers, products and orders starts immediately.',
    body: z.strictObject({
      type: z.enum(['woocommerce', 'shopify']),
      address: line(500, 1),
      /** WooCommerce: consumer key. Shopify: the app's client ID, or its access token. */
      key: Key,
      /** WooCommerce: consumer secret. Shopify: the app's secret, which signs its webhooks. */
      secret: Key,
      access: Access,
    }),
    response: store,
    errors: { store_taken: 409, too_many_stores: 422 },
    transaction: 'own',
  },
  connectDemo: {
    method: 'POST',
    path: '/client-api/api/connected-stores/demo',
    caller: 'account',
    requiredRight: 'settings',
    summary: 'Add the demo store',
    description: 'The call is available only if the installation runs the built-in demo store.',
    response: store,
    errors: { too_many_stores: 422 },
  },
  downloadPlugin: {
    method: 'POST',
    path: '/client-api/api/store-plugins',
    caller: 'account',
    requiredRight: 'settings',
    isPersonal: true,
    summary: "Download a store platform's plugin",
    description:
      'Creates an API token with the rights `read`, `people`, `people.change` and `settings`, which the caller must have. The ZIP file contains the token and the address of this installation.',
    body: z.strictObject({ platform: z.enum(PLUGIN_PLATFORMS) }),
    response: dataResponse(
      z.object({
        name: z.string(),
        /** The file in Base64. */
        content: z.string(),
      }),
    ),
    errors: { right_not_yours: 403 },
  },
  getStore: {
    method: 'GET',
    path: '/client-api/api/connected-stores/{id}',
    caller: 'account',
    summary: 'Get a connected store',
    params,
    response: store,
  },
  changeConnection: {
    method: 'PATCH',
    path: '/client-api/api/connected-stores/{id}',
    caller: 'account',
    requiredRight: 'settings',
    summary: "Update a store's settings",
    description:
      'Changes the title, the customer group, the time after which a cart counts as abandoned, and the meaning of order states.',
    params,
    body: z.strictObject({
      title: line(200, 1).optional(),
      group: idOf('group').nullable().optional(),
      abandoned_minutes: z.int().min(MIN_ABANDONED_MINUTES).max(MAX_ABANDONED_MINUTES).optional(),
      order_states: z
        .array(z.strictObject({ state: line(100, 1), meaning: z.enum(ORDER_MEANINGS) }))
        .max(MAX_ORDER_STATES)
        .optional(),
    }),
    response: store,
  },
  renewKeys: {
    method: 'PUT',
    path: '/client-api/api/connected-stores/{id}/keys',
    caller: 'account',
    requiredRight: 'settings',
    summary: 'Set new API keys for a store',
    description: 'Replaces keys that the store no longer accepts.',
    params,
    body: z.strictObject({ key: Key, secret: Key, access: Access }),
    response: store,
    errors: { store_without_keys: 409 },
    transaction: 'own',
  },
  syncStore: {
    method: 'POST',
    path: '/client-api/api/connected-stores/{id}/sync',
    caller: 'account',
    requiredRight: 'settings',
    summary: 'Start a synchronization of a store',
    params,
    response: store,
    errors: { store_syncs_itself: 409 },
  },
  disconnectStore: {
    method: 'POST',
    path: '/client-api/api/connected-stores/{id}/disconnect',
    caller: 'account',
    requiredRight: 'settings',
    summary: 'Disconnect a store',
    description:
      'With `delete_subscribers`, customers of the store whom a store added are deleted in the background; otherwise, all subscribers remain.',
    params,
    body: z.strictObject({ delete_subscribers: z.boolean() }),
    response: SuccessResponse,
  },
  listConditionOptions: {
    method: 'GET',
    path: '/client-api/api/stores-advanced-filter',
    caller: 'account',
    summary: 'List stores and products for conditions',
    description:
      'Returns up to 200 products that match the search, sorted by title, and up to 500 categories.',
    query: z.strictObject({
      /** Search in the product's title. */
      search: z.string().max(255).optional(),
    }),
    response: dataResponse(
      z.object({
        stores: z.array(
          z.object({ id: Id, title: z.string(), domain: z.string(), currency: z.string() }),
        ),
        /** Categories of listed products in alphabetical order. */
        categories: z.array(z.object({ store_id: Id, title: z.string(), products: z.number() })),
        products: z.array(
          z.object({
            id: Id,
            title: z.string(),
            store_id: Id,
            sku: z.string().nullable(),
            price: z.number().nullable(),
            old_price: z.number().nullable(),
            /** Empty if neither the product nor its store has one. */
            currency: z.string(),
            image_url: z.string().nullable(),
            url: z.string().nullable(),
          }),
        ),
      }),
    ),
  },
  listAllOrders: {
    method: 'GET',
    path: '/client-api/api/store-orders',
    caller: 'account',
    requiredRight: 'people',
    summary: 'List orders of all stores',
    description: 'The search finds order numbers.',
    query: listQuery({ sorts: ['placed', 'total'], direction: 'desc' }),
    response: listResponse(
      ListedOrder.extend({ id: Id, subscriber: Id, email: z.string().nullable() }),
    ),
  },
  listAllProducts: {
    method: 'GET',
    path: '/client-api/api/store-products',
    caller: 'account',
    summary: 'List products of all stores',
    description: 'The search finds titles and SKUs.',
    query: listQuery({ sorts: ['title', 'price', 'created'], direction: 'asc' }),
    response: listResponse(ListedProduct),
  },
  listSubscriberOrders: {
    method: 'GET',
    path: '/client-api/api/subscribers/{id}/orders',
    caller: 'account',
    requiredRight: 'people',
    summary: 'List orders of a subscriber',
    description: 'Returns the newest 50, the newest first.',
    params: z.object({ id: idOf('subscriber') }),
    response: dataResponse(z.array(ListedOrder)),
  },
});
