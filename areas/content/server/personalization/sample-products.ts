// Products shown to a sample recipient: the account's best-selling ones, or invented ones with
// drawn images if there are none. Emails to subscribers never contain the invented ones.
import { pickCatalogProducts } from '#areas/stores/server/index.ts';
import { type Language, LOCALE } from '#platform/languages.ts';
import { clock } from '#platform/server/clock.ts';
import type { Reader } from '#platform/server/database/database.ts';
import { OWN_PICKS, PICK_PARTS, toPickName } from '../../shop-names.ts';
import { templateTexts } from '../templates/template-texts.ts';
import type { MergeValues } from './merge-tags.ts';
import { toProductValues } from './shop-values.ts';

const ILLUSTRATIONS = ['mug', 'plant', 'candle', 'lamp'] as const;
const PREFIX = 'sample-';
const MAX_SAMPLES = 3;

/**
 * Returns the merge tag values of a sample recipient's personal products, except for the kinds of
 * products that `previewValues` already contains.
 */
export async function createSampleShopValues(
  db: Reader,
  { accountId, language }: { accountId: number; language: Language },
  previewValues: MergeValues = {},
): Promise<Record<string, string>> {
  const picks = OWN_PICKS.filter((pick) => !(toPickName(pick, 1, 'name') in previewValues));
  const options = { storeId: undefined, limit: MAX_SAMPLES, now: clock.now() };
  const bestSellers = await pickCatalogProducts(db, accountId, 'best_selling', options);
  const products =
    bestSellers.length > 0
      ? bestSellers.map((product) =>
          toProductValues(product, { accountId, locale: LOCALE[language] }),
        )
      : createSampleProducts(language);
  return Object.fromEntries(
    picks.flatMap((pick) =>
      products.flatMap((product, index) =>
        PICK_PARTS.map((part) => [toPickName(pick, index + 1, part), product[part]] as const),
      ),
    ),
  );
}

const createSampleProducts = (language: Language) =>
  templateTexts(language)
    .sale.products.slice(0, MAX_SAMPLES)
    .map(([name = '', price = ''], index) => ({
      name,
      price,
      id: `${PREFIX}${ILLUSTRATIONS[index]}`,
    }));

/** Returns the path of a drawn product's image; undefined for other ids. */
export function findSampleImagePath(id: string): string | undefined {
  const name = ILLUSTRATIONS.find((name) => id === `${PREFIX}${name}`);
  return name && `/i/art/${name}.png`;
}
