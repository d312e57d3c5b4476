// A product's name: entered, or found among the products of connected stores, which then supply
// price, image and URL.
import { Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import type { calls as storeCalls } from '#areas/stores/contract.ts';
import { type AnswerOf, client } from '#platform/web/api/api.ts';
import { useFormats } from '#platform/web/texts/formats.ts';
import { useTexts } from '#platform/web/texts/texts.ts';
import { SuggestField, type Suggestion } from '#platform/web/ui/suggest-field.tsx';
import { isAddress } from '#platform/rich-text.ts';
import { LineRow } from '#platform/web/editing/fields.tsx';
import type { FormProps } from './form-pieces.tsx';

const PATH = 'GET /client-api/api/stores-advanced-filter';
const api = client<typeof storeCalls>();
type Product = AnswerOf<typeof storeCalls, typeof PATH>['data']['products'][number];
type Found = Suggestion & { product: Product };

export function ProductName({ block, change }: FormProps<'product'>) {
  const t = useTexts('content');
  const { money, number } = useFormats();
  const { data: shop } = useQuery({ ...api.query(PATH, { query: {} }), staleTime: 60_000 });
  const write = (name: string) => change({ name }, 'name');
  if (!shop?.data.products.length) {
    return <LineRow label={t('fields.product')} value={block.name} onChange={write} />;
  }
  const priceOf = ({ price, currency }: Product) =>
    price === null ? '' : currency === '' ? number(price) : money(price, currency);
  const suggest = async (search: string, signal: AbortSignal): Promise<Found[]> => {
    const { data } = await api(PATH, { query: search ? { search } : {}, signal });
    return data.products.map((product) => ({
      id: product.id,
      value: product.title,
      label: (
        <span>
          {product.title}{' '}
          <Text span size="xs" c="dimmed">
            {priceOf(product)}
          </Text>
        </span>
      ),
      product,
    }));
  };
  const take = ({ product }: Found) => {
    const { title, url, image_url } = product;
    const image = { src: image_url ?? '', alt: title, width: null, height: null };
    change({
      name: title,
      price: priceOf(product),
      old_price: '',
      ...(url && isAddress(url) ? { href: url } : {}),
      ...(image.src.startsWith('https://') ? { image } : {}),
    });
  };
  return (
    <SuggestField
      size="xs"
      label={t('fields.product')}
      description={t('fields.productHint')}
      value={block.name}
      least={1}
      nothingFound={t('platform:selects.nothingFound')}
      suggest={suggest}
      onChange={write}
      onPick={take}
    />
  );
}
