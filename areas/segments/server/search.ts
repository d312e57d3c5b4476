// Segments in the global search. A result opens the subscriber list, filtered by the segment's
// conditions.
import type { SearchResult } from '#platform/search-contract.ts';
import type { Tx } from '#platform/server/database/database.ts';
import { type SearchInput, searchIn } from '#platform/server/search/search.ts';
import { readConditions, writeFilter } from '../filter-grammar.ts';
import { listSearchableSegments } from './segments.sql.ts';

const search = searchIn('segment', 'segment', listSearchableSegments);

export async function searchSegments(tx: Tx, input: SearchInput): Promise<SearchResult[]> {
  const matches = await search(tx, input);
  return matches.map((segment) => ({
    ...segment,
    parameter: toFilterParameter(segment.parameter),
  }));
}

function toFilterParameter(conditions: string | null): string | null {
  const { conditions: parsed } = readConditions(JSON.parse(conditions ?? '[]'));
  return writeFilter(parsed);
}
