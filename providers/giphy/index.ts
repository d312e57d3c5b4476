// Searches GIFs at GIPHY that are suitable for all ages.
// https://developers.giphy.com/docs/api/endpoint
import { z } from 'zod';
import type { StockProvider } from '#areas/content/server/images/stock-provider.ts';
import { parseResponse, fetchStockJson } from '../stock-http.ts';

export interface GiphyOptions {
  key: string;
  /** Another host, for tests. */
  url?: string;
}

const PER_PAGE = 24;
const RATING = 'g';

/** Widths and heights are strings in the responses. */
const size = z.coerce.number().int().min(1);
const Gif = z.object({
  id: z.string(),
  title: z.string().catch(''),
  user: z
    .object({ display_name: z.string(), profile_url: z.string() })
    .partial()
    .optional()
    .catch(undefined),
  images: z.object({
    original: z.object({ width: size, height: size }),
    fixed_width: z.object({ url: z.string() }),
    /** At most 2 MB, the maximum that an email should load. */
    downsized: z.object({ url: z.string() }),
  }),
});
const SearchResult = z.object({
  data: z.array(Gif),
  pagination: z.object({ total_count: z.number(), count: z.number(), offset: z.number() }),
});
const SingleResult = z.object({ data: Gif });

export function createGiphyProvider({
  key,
  url = 'https://api.giphy.com',
}: GiphyOptions): StockProvider {
  const getJson = (path: string, query: Record<string, string> = {}) =>
    fetchStockJson('giphy', `${url}${path}?${new URLSearchParams({ api_key: key, ...query })}`);
  return {
    kind: 'gifs',
    name: 'GIPHY',
    website: 'https://giphy.com/',
    search: async ({ searchText, page, locale }) => {
      const response = await getJson('/v1/gifs/search', {
        q: searchText,
        limit: String(PER_PAGE),
        offset: String((page - 1) * PER_PAGE),
        rating: RATING,
        lang: locale.slice(0, 2),
      });
      const { data, pagination } = parseResponse(SearchResult, response);
      const images = data.map(({ id, title, user, images: { original, fixed_width } }) => ({
        id,
        title,
        preview_url: fixed_width.url,
        width: original.width,
        height: original.height,
        author: user?.display_name ?? '',
        author_url: user?.profile_url ?? '',
      }));
      return { images, hasMore: pagination.offset + pagination.count < pagination.total_count };
    },
    find: async (id) => {
      if (!/^[A-Za-z0-9]{1,64}$/.test(id)) return undefined;
      const response = await getJson(`/v1/gifs/${id}`);
      if (response === undefined) return undefined;
      const { data } = parseResponse(SingleResult, response);
      return { url: data.images.downsized.url, name: data.title };
    },
  };
}
