// Searches all objects of an account. Each area finds its own objects with its own SQL; this module
// defines the question, the order of matches and the call.
import type { RawBuilder } from 'kysely';
import { encodeId, type Kind } from '../../ids.ts';
import { calls, type SearchResult } from '../../search-contract.ts';
import type { FoundKind } from '../../search-shared.ts';
import { type QuestionHandler, defineQuestion } from '../events.ts';
import { type Route, createRoutes } from '../http/serve.ts';
import { bestMatches } from './matching.sql.ts';
import { readTerms, type SearchTerms } from './terms.ts';

/** Maximum number of matches of each kind; the palette shows the best of all kinds. */
const MAX_MATCHES_PER_KIND = 5;

/** Match kinds that contain personal data. */
const PERSONAL_KINDS = new Set<FoundKind>(['subscriber', 'order']);

export type SearchInput = { accountId: number; terms: SearchTerms; limit: number };

/** Each area returns the best matches among its objects. */
export const searchQuestion = defineQuestion<SearchInput, SearchResult>('searched');

/**
 * Returns the search of one table. `rows` selects id, title, detail, parameter and modified_at of
 * all objects of an account; matches in the detail come after matches in the title.
 */
export function searchIn(
  kind: FoundKind,
  idKind: Kind,
  rows: (accountId: number) => RawBuilder<unknown>,
): QuestionHandler<SearchInput, SearchResult> {
  return async (tx, { accountId, terms, limit }) => {
    const matches = await bestMatches(tx, rows(accountId), terms, limit);
    return matches.map(({ id, title, detail, parameter }) => ({
      kind,
      id: encodeId(idKind, id),
      title,
      detail: detail || null,
      parameter,
    }));
  };
}

export const searchRoutes: Route[] = createRoutes('platform', calls, {
  search: async ({ tx, caller, query }) => {
    const terms = readTerms(query.search);
    if (terms === undefined) return [];
    const results = await searchQuestion.collect(tx, {
      accountId: caller.accountId,
      terms,
      limit: MAX_MATCHES_PER_KIND,
    });
    return caller.rights.has('people')
      ? results
      : results.filter(({ kind }) => !PERSONAL_KINDS.has(kind));
  },
});
