// Invoices and credit notes with downloads.
import { Anchor } from '@mantine/core';
import { IconFileInvoice } from '@tabler/icons-react';
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { useFormats } from '#platform/web/texts/formats.ts';
import { useListAddress } from '#platform/web/session/list-address.ts';
import { useTexts } from '#platform/web/texts/texts.ts';
import { DataTable } from '#platform/web/ui/data-table.tsx';
import { EmptyState } from '#platform/web/ui/states.tsx';
import { api, toMajorUnits } from './queries.ts';

const SORTS = ['created'] as const;

export function Invoices() {
  const t = useTexts('billing');
  const { date, money } = useFormats();
  const list = useListAddress({ sorts: SORTS, order: 'created', direction: 'desc' });
  const invoices = useQuery({
    ...api.query('GET /client-api/api/invoices', { query: list.query }),
    placeholderData: keepPreviousData,
  });
  return (
    <DataTable
      label={t('tabs.invoices')}
      query={invoices}
      list={list}
      rowId={(invoice) => invoice.id}
      getRowName={(invoice) => invoice.number}
      columns={[
        {
          id: 'number',
          header: t('invoices.number'),
          cell: (invoice) => (
            <Anchor href={`/client-api/api/invoices/${invoice.id}/pdf`} download>
              <bdi>{invoice.number}</bdi>
            </Anchor>
          ),
        },
        {
          id: 'kind',
          header: t('invoices.kind'),
          isWide: true,
          cell: ({ kind }) => t(`invoices.${kind}`),
        },
        {
          id: 'date',
          header: t('invoices.date'),
          sort: 'created',
          cell: ({ issued }) => date(issued),
        },
        {
          id: 'total',
          header: t('invoices.total'),
          align: 'end',
          cell: ({ total, currency }) => money(toMajorUnits(total), currency.toUpperCase()),
        },
      ]}
      empty={
        <EmptyState icon={IconFileInvoice} title={t('invoices.empty')}>
          {t('invoices.emptyText')}
        </EmptyState>
      }
    />
  );
}
