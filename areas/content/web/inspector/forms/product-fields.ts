// Fills the fields of a product block from a product of a connected store.
import type { calls as storeCalls } from '#areas/stores/contract.ts';
import { isAddress } from '#platform/rich-text.ts';
import { type ResponseOf, client } from '#platform/web/api/api.ts';
import { useFormats } from '#platform/web/texts/formats.ts';
import type { BlockOf } from '../../../document.ts';

export const PRODUCTS = 'GET /client-api/api/stores-advanced-filter';
export const stores = client<typeof storeCalls>();
export type ProductChoice = ResponseOf<
  typeof storeCalls,
  typeof PRODUCTS
>['data']['products'][number];

/** Returns functions that format a product's prices and convert the product to block fields. */
export function useProductFields() {
  const { money, number } = useFormats();
  const formatAmount = (value: number | null | undefined, currency: string) =>
    value === null || value === undefined
      ? ''
      : currency === ''
        ? number(value)
        : money(value, currency);
  const formatPrice = ({ price, currency }: ProductChoice) => formatAmount(price, currency);
  const formatOldPrice = ({ old_price, currency }: ProductChoice) =>
    formatAmount(old_price, currency);
  const toFields = (product: ProductChoice): Partial<BlockOf<'product'>> => {
    const { title, url, image_url } = product;
    const image = { src: image_url ?? '', alt: title, width: null, height: null };
    return {
      name: title,
      price: formatPrice(product),
      old_price: formatOldPrice(product),
      ...(url && isAddress(url) ? { href: url } : {}),
      ...(image.src.startsWith('https://') ? { image } : {}),
    };
  };
  return { priceOf: formatPrice, oldPriceOf: formatOldPrice, fieldsOf: toFields };
}
