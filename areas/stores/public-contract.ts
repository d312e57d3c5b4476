// Stores in the public API, called by plugins of stores.
import { z } from 'zod';
import { defineCalls, Id, idOf } from '#platform/contract.ts';
import { V2SuccessResponse } from '#platform/v2-contract.ts';
import { MAX_CUSTOMERS_PER_CALL, MAX_ORDERS_PER_CALL, MAX_PRODUCTS_PER_CALL } from './shared.ts';

const params = z.object({ id: idOf('store') });
const Store = z.object({
  id: Id,
  domain: z.string(),
  name: z.string(),
  type: z.string(),
  currency: z.string(),
  created: z.string(),
});
const Keys = z.array(z.string()).optional();
/** Problems of a call by kind; a list without entries is absent. */
export const StoreFindings = z.object({
  unknown_groups: Keys.describe(
    'Entries of `tags` and `list_id` that match no group. Groups are not created.',
  ),
  unknown_fields: Keys.describe('Keys of `fields` that match no field.'),
  unfit_fields: Keys.describe("Keys of `fields` whose value does not match the field's type."),
});
const Rows = (max: number) => z.array(z.unknown()).max(max).nullable().optional();

export const publicCalls = defineCalls({
  listStores: {
    method: 'GET',
    path: '/v2/stores',
    caller: 'account',
    summary: 'List connected stores',
    description: 'Disconnected stores are not included.',
    response: z.object({ data: z.array(Store) }),
  },
  registerStore: {
    method: 'POST',
    path: '/v2/stores',
    caller: 'account',
    requiredRight: 'settings',
    summary: 'Add a store connected by its plugin',
    description:
      'A store whose domain is already known keeps its ID and is connected again. A new store returns 422 `too_many_stores` if the account has 100, including disconnected ones.',
    body: z.object({
      domain: z.string().trim().min(1).max(500),
      name: z.string().trim().max(200).nullable().optional(),
      type: z.string().trim().max(50).nullable().optional(),
    }),
    response: z.object({ success: z.literal(true), message: z.string(), data: Store }),
    errors: { store_taken: 409, too_many_stores: 422 },
    example: { body: { domain: 'shop.example', name: 'Tea shop', type: 'wordpress' } },
  },
  readStore: {
    method: 'GET',
    path: '/v2/stores/{id}',
    caller: 'account',
    summary: 'Get a store',
    description: 'A disconnected store returns 404.',
    params,
    response: z.object({ data: Store }),
  },
  deleteStore: {
    method: 'DELETE',
    path: '/v2/stores/{id}',
    caller: 'account',
    requiredRight: 'settings',
    summary: 'Disconnect a store',
    description:
      'Deletes the keys of the store. Its orders and products remain for reports. With `delete_subscribers`, customers of the store whom a store added are deleted in the background; by default, all subscribers remain.',
    params,
    body: z.object({ delete_subscribers: z.boolean().nullable().optional() }).nullish(),
    response: V2SuccessResponse,
  },
  importShopData: {
    method: 'POST',
    path: '/v2/stores/{id}/import_shop_data',
    caller: 'account',
    requiredRight: 'people.change',
    audit: 'none',
    summary: 'Import customers, products or orders of a store',
    description: `Accepts up to ${MAX_CUSTOMERS_PER_CALL} customers, ${MAX_PRODUCTS_PER_CALL} products or ${MAX_ORDERS_PER_CALL} orders per request. A customer's \`tags\` and \`list_id\` are IDs of groups or titles of existing groups, and \`fields\` holds values by field ID or name. Invalid rows are skipped. The response lists groups and fields that do not exist.`,
    params,
    body: z.object({
      customers: Rows(MAX_CUSTOMERS_PER_CALL),
      products: Rows(MAX_PRODUCTS_PER_CALL),
      orders: Rows(MAX_ORDERS_PER_CALL),
    }),
    response: V2SuccessResponse.extend(StoreFindings.shape),
    errors: { too_many_products: 422 },
    bodyLimit: 8 * 1_048_576,
    example: { body: { customers: [{ id: '7', email: 'bob@home.example', firstname: 'Bob' }] } },
  },
});
