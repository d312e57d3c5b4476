// Sorting of content lists, page by page.
import { type SelectQueryBuilder, sql } from 'kysely';

/** Sorts by a column, text by collation, and then by id. */
export function sortedPage<Tables, Name extends keyof Tables, Row>(
  query: SelectQueryBuilder<Tables, Name, Row>,
  by: { column: string; isWords: boolean; direction: 'asc' | 'desc' },
  slice: { limit: number; offset: number },
): Promise<Row[]> {
  const column = sql.ref(by.column);
  const key = by.isWords ? sql`${column} collate "und-x-icu"` : column;
  return query
    .orderBy(key, by.direction)
    .orderBy(sql.ref('id'), by.direction)
    .limit(slice.limit)
    .offset(slice.offset)
    .execute() as Promise<Row[]>;
}
