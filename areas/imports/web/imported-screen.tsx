// The history of imports, with the progress or result of one of them above it.
import { Button } from '@mantine/core';
import { IconUpload } from '@tabler/icons-react';
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { text } from '#platform/web/api/address.ts';
import { useLiveInvalidation } from '#platform/web/api/live-queries.ts';
import { useListAddress } from '#platform/web/session/list-address.ts';
import { useFormats } from '#platform/web/texts/formats.ts';
import { useTexts } from '#platform/web/texts/texts.ts';
import { type TableColumn, DataTable } from '#platform/web/ui/data-table.tsx';
import { Page } from '#platform/web/ui/page.tsx';
import { EmptyState } from '#platform/web/ui/states.tsx';
import type { Import } from '../contract.ts';
import { ImportResult } from './import-result.tsx';
import { ImportStateDot } from './import-state.tsx';
import { api, IMPORTS } from './queries.ts';

const SORTS = ['created', 'modified', 'title'] as const;
const queryParams = { import: text('') };
const FIGURES = ['created_count', 'updated_count', 'rejected_count'] as const;

export default function ImportedScreen() {
  const t = useTexts('imports');
  const list = useListAddress({ sorts: SORTS, direction: 'desc', more: queryParams });
  const rows = useQuery({
    ...api.query('GET /client-api/api/imports', { query: list.query }),
    placeholderData: keepPreviousData,
  });
  useLiveInvalidation('import', IMPORTS);
  const create = (
    <Button
      component={Link}
      to="/subscribers/import/file"
      leftSection={<IconUpload size={18} stroke={1.75} />}
    >
      {t('title')}
    </Button>
  );
  const columns = useColumns();
  return (
    <Page title={t('history.title')} actions={create}>
      {list.values.import !== '' && (
        <ImportResult key={list.values.import} id={list.values.import} />
      )}
      <DataTable<Import>
        label={t('history.title')}
        query={rows}
        list={{ ...list, isFiltered: list.values.search !== '' }}
        rowId={(row) => row.id}
        getRowName={(row) => row.fileName || t('text.name')}
        getRowLink={(row) => `/subscribers/imported_subscribers?import=${row.id}`}
        search={t('history.find')}
        columns={columns}
        empty={
          <EmptyState icon={IconUpload} title={t('history.empty')} action={create}>
            {t('history.emptyText')}
          </EmptyState>
        }
      />
    </Page>
  );
}

function useColumns(): TableColumn<Import>[] {
  const t = useTexts('imports');
  const { number, dateTime } = useFormats();
  return [
    {
      id: 'title',
      header: t('history.file'),
      sort: 'title',
      cell: (row) => <bdi>{row.fileName || t('text.name')}</bdi>,
    },
    {
      id: 'state',
      header: t('history.state'),
      width: 140,
      cell: (row) => <ImportStateDot data={row} />,
    },
    {
      id: 'created',
      header: t('history.started'),
      sort: 'created',
      isWide: true,
      width: 190,
      cell: (row) => <time dateTime={row.created}>{dateTime(row.created)}</time>,
    },
    ...FIGURES.map((name) => ({
      id: name,
      header: t(`counts.${name}`),
      align: 'end' as const,
      isWide: true,
      width: 120,
      cell: (row: Import) => number(row[name]),
    })),
  ];
}
