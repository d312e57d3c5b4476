// Reads one page of a sorted list of images or saved sections.
import { type SelectQueryBuilder, sql } from 'kysely';

/** Sorts by a column (text by the ICU root collation), and then by id. */
export function sortedPage<Tables, Name extends keyof Tables, Row>(
  query: SelectQueryBuilder<Tables, Name, Row>,
  sorting: { column: string; isText: boolean; direction: 'asc' | 'desc' },
  slice: { limit: number; offset: number },
): Promise<Row[]> {
  const column = sql.ref(sorting.column);
  const key = sorting.isText ? sql`${column} collate "und-x-icu"` : column;
  return query
    .orderBy(key, sorting.direction)
    .orderBy(sql.ref('id'), sorting.direction)
    .limit(slice.limit)
    .offset(slice.offset)
    .execute() as Promise<Row[]>;
}
