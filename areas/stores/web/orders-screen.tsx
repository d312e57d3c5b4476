// The orders of all connected stores; a click on a row opens the customer.
import { Text } from '@mantine/core';
import { IconReceipt } from '@tabler/icons-react';
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { toUnicodeDomain } from '#platform/domain-display.ts';
import { useListAddress } from '#platform/web/session/list-address.ts';
import { useFormats } from '#platform/web/texts/formats.ts';
import { useTexts } from '#platform/web/texts/texts.ts';
import { type TableColumn, DataTable } from '#platform/web/ui/data-table.tsx';
import { Page } from '#platform/web/ui/page.tsx';
import { EmptyState } from '#platform/web/ui/states.tsx';
import { StatusDot } from '#platform/web/ui/status-dot.tsx';
import type { ResponseOf } from '#platform/web/api/api.ts';
import type { calls } from '../contract.ts';
import { useAmount } from '#platform/web/texts/amount.ts';
import { api } from './queries.ts';
import { useStoreTabs } from './tabs.ts';

const PATH = 'GET /client-api/api/store-orders';
type OrderListItem = ResponseOf<typeof calls, typeof PATH>['data'][number];

const SORTS = ['placed', 'total'] as const;
const TONES = { placed: 'success', cancelled: 'neutral', refunded: 'warning' } as const;

export default function OrdersScreen() {
  const t = useTexts('stores');
  const list = useListAddress({ sorts: SORTS, direction: 'desc' });
  const orders = useQuery({
    ...api.query(PATH, { query: list.query }),
    placeholderData: keepPreviousData,
  });
  return (
    <Page title={t('title')} description={t('description')} tabs={useStoreTabs()}>
      <DataTable<OrderListItem>
        label={t('tabs.orders')}
        query={orders}
        list={list}
        rowId={(order) => order.id}
        getRowName={(order) => order.number}
        getRowLink={(order) => `/subscribers/${order.subscriber}/view`}
        search={t('orders.find')}
        columns={useColumns()}
        empty={
          <EmptyState icon={IconReceipt} title={t('orders.empty')}>
            {t('orders.emptyText')}
          </EmptyState>
        }
      />
    </Page>
  );
}

function useColumns(): TableColumn<OrderListItem>[] {
  const t = useTexts('stores');
  const { dateTime, number } = useFormats();
  const amount = useAmount();
  const goods = ({ products }: OrderListItem) =>
    products
      .map(({ title, quantity }) => (quantity === 1 ? title : `${title} × ${number(quantity)}`))
      .join(', ');
  return [
    {
      id: 'number',
      header: t('orders.number'),
      cell: (order) => (
        <>
          <bdi>{order.number}</bdi>
          <Text size="xs" c="dimmed" lineClamp={1}>
            <bdi>{goods(order)}</bdi>
          </Text>
        </>
      ),
    },
    {
      id: 'customer',
      header: t('orders.customer'),
      isWide: true,
      cell: ({ email }) => (email ? <bdi dir="ltr">{toUnicodeDomain(email)}</bdi> : '–'),
    },
    {
      id: 'store',
      header: t('orders.store'),
      isWide: true,
      width: 160,
      cell: ({ store, state }) => (
        <>
          <bdi>{store}</bdi>
          {state !== 'placed' && (
            <StatusDot tone={TONES[state]} label={t(`orders.states.${state}`)} />
          )}
        </>
      ),
    },
    {
      id: 'total',
      header: t('orders.total'),
      sort: 'total',
      align: 'end',
      width: 120,
      cell: ({ total, currency }) => <bdi dir="ltr">{amount(total, currency)}</bdi>,
    },
    {
      id: 'placed',
      header: t('orders.placed'),
      sort: 'placed',
      align: 'end',
      isWide: true,
      width: 170,
      cell: ({ placed }) => <time dateTime={placed}>{dateTime(placed)}</time>,
    },
  ];
}
