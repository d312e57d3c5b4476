// Reads one page of a sorted list of images or saved sections.
import { type SelectQueryBuilder, sql } from 'kysely';

/** Sorts by a column (text by the ICU root collation), and then by id. */
export function sortedPage<Tables, Name extends keyof Tables, Row>(
  query: SelectQueryBuilder<Tables, Name, Row>,
  by: { column: string; isText: boolean; direction: 'asc' | 'desc' },
  slice: { limit: number; offset: number },
): Promise<Row[]> {
  const column = sql.ref(by.column);
  const key = by.isText ? sql`${column} collate "und-x-icu"` : column;
  return query
    .orderBy(key, by.direction)
    .orderBy(sql.ref('id'), by.direction)
    .limit(slice.limit)
    .offset(slice.offset)
    .execute() as Promise<Row[]>;
}
