// Orders in the global search: by number prefix, with or without `#`.
import { encodeId } from '#platform/ids.ts';
import type { SearchResult } from '#platform/search-contract.ts';
import type { Tx } from '#platform/server/database/database.ts';
import type { SearchInput } from '#platform/server/search/search.ts';
import { toLatinDigits } from '#platform/digits.ts';
import { findOrdersByNumber } from './store-lists.sql.ts';

export async function searchOrders(
  tx: Tx,
  { accountId, terms, limit }: SearchInput,
): Promise<SearchResult[]> {
  const number = toLatinDigits(terms.typed).toLowerCase().replace(/^#+/, '');
  if (number === '') return [];
  const orders = await findOrdersByNumber(tx, accountId, number, limit);
  return orders.map((order) => ({
    kind: 'order',
    id: encodeId('order', order.id),
    title: order.number,
    detail: order.customer,
    parameter: encodeId('subscriber', order.subscriber_id),
  }));
}
