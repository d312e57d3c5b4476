// The name of a product: typed, or chosen among the products of connected stores, which also fills
// in price, image and URL.
import { Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useTexts } from '#platform/web/texts/texts.ts';
import { SuggestField, type Suggestion } from '#platform/web/ui/suggest-field.tsx';
import { LineRow } from '#platform/web/editing/fields.tsx';
import { ChooseProduct } from './choose-product.tsx';
import type { BlockFormProps } from './form-pieces.tsx';
import { PRODUCTS, type ProductChoice, stores, useProductFields } from './product-fields.ts';

type SuggestedProduct = Suggestion & { product: ProductChoice };

export function ProductName({ block, change }: BlockFormProps<'product'>) {
  const t = useTexts('content');
  const { priceOf, fieldsOf } = useProductFields();
  const { data: shop } = useQuery({ ...stores.query(PRODUCTS, { query: {} }), staleTime: 60_000 });
  const write = (name: string) => change({ name }, 'name');
  if (!shop?.data.products.length) {
    return <LineRow label={t('fields.product')} value={block.name} onChange={write} />;
  }
  const suggest = async (search: string, signal: AbortSignal): Promise<SuggestedProduct[]> => {
    const { data } = await stores(PRODUCTS, { query: search ? { search } : {}, signal });
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
  return (
    <>
      <SuggestField
        size="xs"
        label={t('fields.product')}
        description={t('fields.productHint')}
        value={block.name}
        minLength={1}
        emptyText={t('platform:selects.nothingFound')}
        suggest={suggest}
        onChange={write}
        onPick={({ product }) => change(fieldsOf(product))}
      />
      <ChooseProduct onChoose={(product) => change(fieldsOf(product))} />
    </>
  );
}
