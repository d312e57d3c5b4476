// Searches stock photos at Pexels. https://www.pexels.com/api/documentation/
import { z } from 'zod';
import type { StockProvider } from '#areas/content/server/images/stock-provider.ts';
import { parseResponse, fetchStockJson } from '../stock-http.ts';

export interface PexelsOptions {
  key: string;
  /** Another host, for tests. */
  url?: string;
}

const PER_PAGE = 24;

const Photo = z.object({
  id: z.number().int(),
  width: z.number(),
  height: z.number(),
  photographer: z.string().catch(''),
  photographer_url: z.string().catch(''),
  alt: z.string().nullish(),
  src: z.object({ large2x: z.string(), medium: z.string() }),
});
const SearchResult = z.object({ photos: z.array(Photo), next_page: z.string().nullish() });

/** The search supports these languages of the product; the others use English. */
const LOCALES: Record<string, string> = { nb: 'nb-NO', sv: 'sv-SE', en: 'en-US' };

export function createPexelsProvider({
  key,
  url = 'https://api.pexels.com',
}: PexelsOptions): StockProvider {
  const getJson = (path: string) =>
    fetchStockJson('pexels', `${url}${path}`, { authorization: key });
  return {
    kind: 'photos',
    name: 'Pexels',
    website: 'https://www.pexels.com/',
    search: async ({ searchText, page, locale }) => {
      const query = new URLSearchParams({
        query: searchText,
        page: String(page),
        per_page: String(PER_PAGE),
        locale: LOCALES[locale] ?? 'en-US',
      });
      const { photos, next_page } = parseResponse(
        SearchResult,
        await getJson(`/v1/search?${query}`),
      );
      const images = photos.map((photo) => ({
        id: String(photo.id),
        title: photo.alt ?? '',
        preview_url: photo.src.medium,
        width: photo.width,
        height: photo.height,
        author: photo.photographer,
        author_url: photo.photographer_url,
      }));
      return { images, hasMore: Boolean(next_page) };
    },
    find: async (id) => {
      if (!/^\d{1,15}$/.test(id)) return undefined;
      const response = await getJson(`/v1/photos/${id}`);
      if (response === undefined) return undefined;
      const photo = parseResponse(Photo, response);
      return { url: photo.src.large2x, name: photo.alt ?? '' };
    },
  };
}
