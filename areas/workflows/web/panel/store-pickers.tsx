// Pickers of stores and products. Without a store, they show a hint instead.
import { Alert } from '@mantine/core';
import { useDebouncedValue } from '@mantine/hooks';
import { useState } from 'react';
import { useTexts } from '#platform/web/texts/texts.ts';
import { SearchableSelect } from '#platform/web/ui/searchable-select.tsx';
import { useStores } from '../stores.ts';
import type { PickerProps } from './pickers.tsx';

const PAUSE_MS = 250;

export function StorePicker({ value, onChange, ...labels }: PickerProps) {
  const stores = useStores().data?.data.stores;
  if (stores?.length === 0) return <NoStore />;
  return (
    <SearchableSelect
      {...labels}
      value={value ?? null}
      onChange={(id) => onChange(id ?? undefined)}
      data={(stores ?? []).map(({ id, title }) => ({ value: id, label: title }))}
    />
  );
}

/** Search loads products beyond the first page. */
export function ProductPicker({ value, onChange, ...labels }: PickerProps) {
  const [typed, setTyped] = useState('');
  const [search] = useDebouncedValue(typed, PAUSE_MS);
  const shop = useStores().data?.data;
  const foundProducts = useStores(search).data?.data.products;
  if (shop?.stores.length === 0) return <NoStore />;
  const offeredProducts = new Map(
    [...(shop?.products ?? []), ...(foundProducts ?? [])].map((product) => [product.id, product]),
  );
  return (
    <SearchableSelect
      {...labels}
      value={value ?? null}
      onChange={(id) => onChange(id ?? undefined)}
      onSearchChange={setTyped}
      data={[...offeredProducts.values()].map(({ id, title }) => ({ value: id, label: title }))}
    />
  );
}

function NoStore() {
  const t = useTexts('workflows');
  return <Alert color="warning">{t('gallery.noStore')}</Alert>;
}
