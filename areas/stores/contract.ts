// Stores: what the builder of segments offers (specification section 7).
import { z } from 'zod';
import { dataAnswer, defineCalls, Id } from '#platform/contract.ts';

export const calls = defineCalls({
  readAdvancedFilter: {
    method: 'GET',
    path: '/client-api/api/stores-advanced-filter',
    who: 'account',
    summary: 'The stores, and products by title, that conditions may name',
    query: z.strictObject({
      /** Words of a product's title. */
      search: z.string().max(255).optional(),
    }),
    answer: dataAnswer(
      z.object({
        stores: z.array(
          z.object({ id: Id, title: z.string(), domain: z.string(), currency: z.string() }),
        ),
        products: z.array(
          z.object({ id: Id, title: z.string(), store_id: Id, sku: z.string().nullable() }),
        ),
      }),
    ),
  },
});
