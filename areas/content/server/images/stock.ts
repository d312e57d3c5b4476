// Stock photos and GIFs, found through the configured providers and added to the library as files
// of the account, so that emails load nothing from third parties.
import type { Language } from '#platform/languages.ts';
import { LOCALE } from '#platform/languages.ts';
import type { Db } from '#platform/server/database/database.ts';
import { AppError, notFound } from '#platform/server/errors.ts';
import type { Actor } from '#platform/server/http/serve.ts';
import type { Image } from '../../contract.ts';
import { MAX_IMAGE_BYTES } from '../../shared.ts';
import type { StockKind } from '../../stock-contract.ts';
import { fetchPublic } from '../website/fetch-public.ts';
import { uploadImage } from './images.ts';
import type { StockProvider } from './stock-provider.ts';

const TIMEOUT_MS = 20_000;
const MAX_NAME_LENGTH = 200;

export function listStockSources(providers: readonly StockProvider[]) {
  return providers.map(({ kind, name, website }) => ({ source: kind, name, website }));
}

/** @throws `not_found` for a source without a key, `stock_unavailable` if the service fails */
export async function searchStock(
  providers: readonly StockProvider[],
  { source, search, page }: { source: StockKind; search: string; page: number },
  language: Language,
) {
  const provider = findProvider(providers, source);
  const results = await provider.search({ searchText: search, page, locale: LOCALE[language] });
  return { images: results.images, has_more: results.hasMore };
}

export async function importStockImage(
  db: Db,
  caller: Actor,
  providers: readonly StockProvider[],
  { source, id }: { source: StockKind; id: string },
): Promise<Image> {
  const file = await findProvider(providers, source).find(id);
  if (!file) throw notFound();
  return uploadImage(db, caller, async () => {
    const limits = { maxBytes: MAX_IMAGE_BYTES + 1, accept: 'image/*' };
    const response = await fetchPublic(file.url, { deadline: Date.now() + TIMEOUT_MS, ...limits });
    if (!response) throw new AppError('stock_unavailable');
    return { name: toImageName(file.name) || `${source} ${id}`, bytes: response.body };
  });
}

function findProvider(providers: readonly StockProvider[], source: StockKind): StockProvider {
  const provider = providers.find(({ kind }) => kind === source);
  if (!provider) throw notFound();
  return provider;
}

function toImageName(title: string): string {
  const name = title
    .toWellFormed()
    .replace(/[\s\p{Cc}]+/gu, ' ')
    .trim();
  return name.slice(0, MAX_NAME_LENGTH).toWellFormed();
}
