// Stores and products of the account, for triggers and the gallery.
import { useQuery } from '@tanstack/react-query';
import { client } from '#platform/web/api/api.ts';
import type { calls } from '../../stores/contract.ts';

const api = client<typeof calls>();

/** Returns all stores, and products with a title that matches the search. */
export const useStores = (search = '') =>
  useQuery({
    ...api.query('GET /client-api/api/stores-advanced-filter', { query: search ? { search } : {} }),
    staleTime: 30_000,
  });
