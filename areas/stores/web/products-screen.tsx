// The products of all connected stores.
import { Group, Image, Text } from '@mantine/core';
import { IconPackage, IconPhoto } from '@tabler/icons-react';
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { useListAddress } from '#platform/web/session/list-address.ts';
import { useTexts } from '#platform/web/texts/texts.ts';
import { type TableColumn, DataTable } from '#platform/web/ui/data-table.tsx';
import { Page } from '#platform/web/ui/page.tsx';
import { EmptyState } from '#platform/web/ui/states.tsx';
import type { ListedProduct } from '../contract.ts';
import { useAmount } from '#platform/web/texts/amount.ts';
import { api } from './queries.ts';
import { useStoreTabs } from './tabs.ts';
import classes from './stores.module.css';

const SORTS = ['title', 'price', 'created'] as const;

export default function ProductsScreen() {
  const t = useTexts('stores');
  const list = useListAddress({ sorts: SORTS, direction: 'asc' });
  const products = useQuery({
    ...api.query('GET /client-api/api/store-products', { query: list.query }),
    placeholderData: keepPreviousData,
  });
  return (
    <Page title={t('title')} description={t('description')} tabs={useStoreTabs()}>
      <DataTable<ListedProduct>
        label={t('tabs.products')}
        query={products}
        list={list}
        rowId={(product) => product.id}
        getRowName={(product) => product.title}
        search={t('products.find')}
        columns={useColumns()}
        empty={
          <EmptyState icon={IconPackage} title={t('products.empty')}>
            {t('products.emptyText')}
          </EmptyState>
        }
      />
    </Page>
  );
}

function useColumns(): TableColumn<ListedProduct>[] {
  const t = useTexts('stores');
  const amount = useAmount();
  return [
    {
      id: 'title',
      header: t('products.title'),
      sort: 'title',
      cell: ({ title, sku, image_url, is_listed }) => (
        <Group gap="sm" wrap="nowrap">
          {image_url ? (
            <Image src={image_url} alt="" w={40} h={40} radius="sm" fit="contain" flex="none" />
          ) : (
            <span className={classes.noImage} aria-hidden="true">
              <IconPhoto size={18} stroke={1.75} />
            </span>
          )}
          <div>
            <bdi>{title}</bdi>
            <Text size="xs" c="dimmed">
              {is_listed ? <bdi>{sku}</bdi> : t('products.hidden')}
            </Text>
          </div>
        </Group>
      ),
    },
    {
      id: 'store',
      header: t('orders.store'),
      isWide: true,
      width: 180,
      cell: ({ store }) => <bdi>{store}</bdi>,
    },
    {
      id: 'price',
      header: t('products.price'),
      sort: 'price',
      align: 'end',
      width: 150,
      cell: ({ price, old_price, currency }) => (
        <bdi dir="ltr">
          {old_price !== null && (
            <Text span size="sm" c="dimmed" td="line-through" me={6}>
              {amount(old_price, currency)}
            </Text>
          )}
          {price === null ? '–' : amount(price, currency)}
        </bdi>
      ),
    },
  ];
}
