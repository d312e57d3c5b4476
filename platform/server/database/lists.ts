// Paging for all lists: converts rows and total to {data, meta}.
import type { ListMeta, ListRequest } from '../../contract.ts';

/** Maximum number of rows with no_paginate. */
export const ALL_LIMIT = 10_000;

export type Slice = { limit: number; offset: number };

export function toSlice(list: ListRequest): Slice {
  return list.isUnpaginated
    ? { limit: ALL_LIMIT, offset: 0 }
    : { limit: list.perPage, offset: (list.page - 1) * list.perPage };
}

export function toListMeta(list: ListRequest, total: number, rowCount: number): ListMeta {
  const offset = (list.page - 1) * list.perPage;
  return {
    from: rowCount > 0 ? offset + 1 : null,
    to: rowCount > 0 ? offset + rowCount : null,
    page: list.page,
    pageCount: Math.max(1, Math.ceil(total / list.perPage)),
    total,
    perPage: list.perPage,
  };
}

/** Pagination of a list that is never paged: its only page contains all items. */
export const singlePageMeta = (count: number): ListMeta => ({
  from: count > 0 ? 1 : null,
  to: count > 0 ? count : null,
  page: 1,
  pageCount: 1,
  total: count,
  perPage: Math.max(1, count),
});

/**
 * Returns the pagination of a list that was requested in full, if it has more than `ALL_LIMIT`
 * rows; otherwise undefined.
 */
export function truncatedListMeta(
  list: ListRequest,
  total: number,
  rowCount: number,
): ListMeta | undefined {
  if (total <= ALL_LIMIT) return undefined;
  return toListMeta({ ...list, page: 1, perPage: ALL_LIMIT }, total, rowCount);
}

/** Reads one page, or all rows up to `ALL_LIMIT`, and presents each row. */
export async function buildListResponse<Row, Out>(
  list: ListRequest,
  queries: { rows: (slice: Slice) => Promise<Row[]>; total: () => Promise<number> },
  present: (row: Row) => Out,
): Promise<{ data: Out[]; meta?: ListMeta }> {
  const rows = await queries.rows(toSlice(list));
  const data = rows.map(present);
  if (list.isUnpaginated) {
    if (rows.length < ALL_LIMIT) return { data };
    const meta = truncatedListMeta(list, await queries.total(), rows.length);
    return meta ? { data, meta } : { data };
  }
  const isOnlyPage = list.page === 1 && rows.length < list.perPage;
  const total = isOnlyPage ? rows.length : await queries.total();
  return { data, meta: toListMeta(list, total, rows.length) };
}
