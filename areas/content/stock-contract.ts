// Calls for stock photos and GIFs. The source list is empty if no provider is configured.
import { z } from 'zod';
import { dataResponse, defineCalls, line } from '#platform/contract.ts';
import { imageErrors } from './saved-templates-contract.ts';

export const STOCK_KINDS = ['photos', 'gifs'] as const;
export type StockKind = (typeof STOCK_KINDS)[number];
const MAX_TERM = 100;
const MAX_PAGE = 50;

export const StockImage = z.object({
  id: z.string(),
  /** Description; '' for none. */
  title: z.string(),
  preview_url: z.string(),
  width: z.number(),
  height: z.number(),
  /** Author and their page; '' for none. */
  author: z.string(),
  author_url: z.string(),
});
export type StockImage = z.infer<typeof StockImage>;

const source = z.enum(STOCK_KINDS);

/** @param image schema of a library image */
export const stockCalls = <Image extends z.ZodType>(image: Image) =>
  defineCalls({
    listStockSources: {
      method: 'GET',
      path: '/client-api/api/stock_sources',
      caller: 'account',
      summary: 'List sources of stock images',
      description:
        'Returns only sources whose key is configured, and an empty list if there is none.',
      response: dataResponse(z.array(z.object({ source, name: z.string(), website: z.string() }))),
      transaction: 'own',
    },
    searchStock: {
      method: 'GET',
      path: '/client-api/api/stock_images',
      caller: 'account',
      summary: 'List stock images by search',
      query: z.object({
        source,
        search: line(MAX_TERM, 1),
        page: z.coerce.number().int().min(1).max(MAX_PAGE).default(1),
      }),
      response: dataResponse(z.object({ images: z.array(StockImage), has_more: z.boolean() })),
      errors: { not_found: 404, stock_unavailable: 502 },
      transaction: 'own',
    },
    importStockImage: {
      method: 'POST',
      path: '/client-api/api/stock_images',
      caller: 'account',
      summary: 'Add a stock image to the library',
      body: z.strictObject({ source, id: z.string().regex(/^[A-Za-z0-9]{1,64}$/) }),
      response: dataResponse(image),
      errors: { ...imageErrors, not_found: 404, stock_unavailable: 502 },
      transaction: 'own',
    },
  });
