// Stores: what the builder of segments offers (specification section 7).
import { z } from 'zod';
import { dataAnswer, defineCalls, Id, idOf, Instant } from '#platform/contract.ts';

export const Order = z.object({
  /** As the store names it. */
  number: z.string(),
  store: z.string(),
  total: z.number(),
  /** Empty where the store did not say. */
  currency: z.string(),
  state: z.enum(['placed', 'cancelled', 'refunded']),
  placed: Instant,
  products: z.array(z.object({ title: z.string(), quantity: z.number() })),
});
export type Order = z.infer<typeof Order>;

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
          z.object({
            id: Id,
            title: z.string(),
            store_id: Id,
            sku: z.string().nullable(),
            price: z.number().nullable(),
            /** Empty where neither the product nor its store says. */
            currency: z.string(),
            image_url: z.string().nullable(),
            url: z.string().nullable(),
          }),
        ),
      }),
    ),
  },
  listOrders: {
    method: 'GET',
    path: '/client-api/api/subscribers/{id}/orders',
    who: 'account',
    summary: 'What one subscriber ordered, newest first',
    params: z.object({ id: idOf('subscriber') }),
    answer: dataAnswer(z.array(Order)),
  },
});
