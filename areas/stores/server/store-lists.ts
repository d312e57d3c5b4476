// Lists of all orders and products of an account's stores.
import { readSubscribers } from '#areas/subscribers/server/index.ts';
import type { ListRequest } from '#platform/contract.ts';
import { encodeId } from '#platform/ids.ts';
import type { Reader } from '#platform/server/database/database.ts';
import { buildListResponse } from '#platform/server/database/lists.ts';
import { readOrderState } from './orders.ts';
import * as store from './store-lists.sql.ts';

export async function listAllOrders(
  db: Reader,
  accountId: number,
  list: ListRequest<'placed' | 'total'>,
) {
  const page = await buildListResponse(
    list,
    {
      rows: (slice) => store.listAllOrders(db, accountId, list, slice),
      total: () => store.countAllOrders(db, accountId, list.search),
    },
    (row) => row,
  );
  const ids = [...new Set(page.data.map((row) => row.subscriber_id))];
  const subscribersById = new Map(
    (await readSubscribers(db, accountId, ids)).map((subscriber) => [subscriber.id, subscriber]),
  );
  return {
    ...page,
    data: page.data.map(({ placed_at, cancelled_at, refunded_at, subscriber_id, ...order }) => ({
      ...order,
      id: encodeId('order', order.id),
      subscriber: encodeId('subscriber', subscriber_id),
      email: subscribersById.get(subscriber_id)?.email ?? null,
      placed: placed_at.toISOString(),
      state: readOrderState({ cancelled_at, refunded_at }),
    })),
  };
}

export function listAllProducts(
  db: Reader,
  accountId: number,
  list: ListRequest<'title' | 'price' | 'created'>,
) {
  return buildListResponse(
    list,
    {
      rows: (slice) => store.listAllProducts(db, accountId, list, slice),
      total: () => store.countAllProducts(db, accountId, list.search),
    },
    (row) => ({ ...row, id: encodeId('product', row.id) }),
  );
}
