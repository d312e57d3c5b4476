// Lets the user choose a product of the connected stores by its image.
import { Button, Image, Text, UnstyledButton } from '@mantine/core';
import { IconPackage } from '@tabler/icons-react';
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { useTexts } from '#platform/web/texts/texts.ts';
import { SearchField } from '#platform/web/ui/search-field.tsx';
import { FailedState, LoadingState } from '#platform/web/ui/states.tsx';
import { Dialog } from '#platform/web/ui/form-dialog.tsx';
import classes from './choose-product.module.css';
import { PRODUCTS, type ProductChoice, stores, useProductFields } from './product-fields.ts';

interface ChooseProductProps {
  onChoose: (product: ProductChoice) => void;
}

export function ChooseProduct({ onChoose }: ChooseProductProps) {
  const t = useTexts('content');
  const [isOpen, setOpen] = useState(false);
  return (
    <>
      <Button
        size="xs"
        variant="default"
        fullWidth
        leftSection={<IconPackage size={16} stroke={1.75} />}
        onClick={() => setOpen(true)}
      >
        {t('shop.choose')}
      </Button>
      <Dialog opened={isOpen} onClose={() => setOpen(false)} size="xl" title={t('shop.choose')}>
        {isOpen && (
          <Products
            onChoose={(product) => {
              onChoose(product);
              setOpen(false);
            }}
          />
        )}
      </Dialog>
    </>
  );
}

function Products({ onChoose }: ChooseProductProps) {
  const t = useTexts('content');
  const { priceOf, oldPriceOf } = useProductFields();
  const [search, setSearch] = useState('');
  const shop = useQuery({
    ...stores.query(PRODUCTS, { query: search ? { search } : {} }),
    placeholderData: keepPreviousData,
  });
  const products = shop.data?.data.products;
  return (
    <>
      <SearchField label={t('shop.find')} value={search} onChange={setSearch} />
      {shop.isLoadingError && <FailedState error={shop.error} retry={() => void shop.refetch()} />}
      {shop.isPending && <LoadingState rows={4} />}
      {products?.length === 0 && (
        <Text c="dimmed" mt="md">
          {t('shop.noProducts')}
        </Text>
      )}
      <ul className={classes.grid}>
        {products?.map((product) => (
          <li key={product.id}>
            <UnstyledButton className={classes.product} onClick={() => onChoose(product)}>
              <Image src={product.image_url} alt="" h={110} fit="contain" radius="sm" />
              <Text component="span" display="block" size="sm" fw={500} lineClamp={2}>
                <bdi>{product.title}</bdi>
              </Text>
              <Text component="span" display="block" size="sm">
                <bdi dir="ltr">
                  {oldPriceOf(product) && (
                    <Text span c="dimmed" td="line-through" me={6}>
                      {oldPriceOf(product)}
                    </Text>
                  )}
                  {priceOf(product)}
                </bdi>
              </Text>
            </UnstyledButton>
          </li>
        ))}
      </ul>
    </>
  );
}
