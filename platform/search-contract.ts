// The call of the command palette that searches the account's objects of several kinds.
import { z } from 'zod';
import { dataResponse, defineCalls, Id } from './contract.ts';
import { FOUND_KINDS } from './search-shared.ts';

export const SearchResult = z.object({
  kind: z.enum(FOUND_KINDS),
  id: Id,
  title: z.string(),
  /**
   * Distinguishes results with the same name: a subject, a subscriber's name, an order's customer.
   */
  detail: z.string().nullable(),
  /**
   * Parameter of the entry's screen, if its id is insufficient: a segment's filter, an order's
   * customer.
   */
  parameter: z.string().nullable(),
});
export type SearchResult = z.infer<typeof SearchResult>;

export const calls = defineCalls({
  search: {
    method: 'GET',
    path: '/client-api/api/search',
    caller: 'account',
    summary: 'List objects that match a search',
    description:
      'Returns the best matches of each kind: exact titles first, then prefixes, prefixes of words, and parts. If there are very many subscribers, parts of names are searched only among the newest, and prefixes of addresses and numbers among all.',
    query: z.strictObject({ search: z.string().max(255) }),
    response: dataResponse(z.array(SearchResult)),
  },
});
