// The list of custom event types, with the count and the last occurrence of each.
import { Text } from '@mantine/core';
import { IconActivity } from '@tabler/icons-react';
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { Suspense, useState } from 'react';
import { lazyWithRetry } from '#platform/web/shell/lazy-with-retry.ts';
import { useFormats } from '#platform/web/texts/formats.ts';
import { useListAddress } from '#platform/web/session/list-address.ts';
import { invalidate } from '#platform/web/api/queries.ts';
import { useTexts } from '#platform/web/texts/texts.ts';
import { confirm } from '#platform/web/ui/confirm.tsx';
import type { TableColumn } from '#platform/web/ui/data-table.tsx';
import { ListPage } from '#platform/web/ui/list-page.tsx';
import type { RowAction } from '#platform/web/ui/row-menu.tsx';
import type { CustomEvent } from '../contract.ts';
import { api, LIST_PATH, SCREEN } from './queries.ts';
import { useWasOpened } from '#platform/web/hooks/use-was-opened.ts';

const CreateEvent = lazyWithRetry(() => import('./create-event.tsx'));

const SORTS = ['title', 'created'] as const;

export default function EventsScreen() {
  const t = useTexts('events');
  const list = useListAddress({ sorts: SORTS, direction: 'asc' });
  const events = useQuery({
    ...api.query('GET /client-api/api/custom_events', { query: list.query }),
    placeholderData: keepPreviousData,
  });
  const [isCreating, setCreating] = useState(false);
  const wasOpened = useWasOpened(isCreating);
  const columns = useColumns();
  return (
    <ListPage<CustomEvent>
      title={t('title')}
      description={t('description')}
      create={{ onClick: () => setCreating(true), label: t('create') }}
      empty={{ icon: IconActivity, title: t('empty.title'), text: t('empty.text') }}
      query={events}
      list={list}
      rowId={(event) => event.id}
      getRowName={(event) => event.name}
      getRowLink={(event) => `${SCREEN}/${event.id}`}
      search={t('find')}
      columns={columns}
      actions={useActions()}
    >
      <Suspense fallback={null}>
        {wasOpened && <CreateEvent isOpen={isCreating} close={() => setCreating(false)} />}
      </Suspense>
    </ListPage>
  );
}

function useColumns(): TableColumn<CustomEvent>[] {
  const t = useTexts('events');
  const { number, relative } = useFormats();
  return [
    {
      id: 'name',
      header: t('columns.name'),
      sort: 'title',
      cell: (event) => (
        <>
          <bdi dir="ltr">{event.name}</bdi>
          <Text size="xs" c="dimmed" truncate>
            <bdi>{event.description}</bdi>
          </Text>
        </>
      ),
    },
    {
      id: 'count',
      header: t('columns.count'),
      align: 'end',
      width: 130,
      cell: (event) => number(event.count),
    },
    {
      id: 'people',
      header: t('columns.people'),
      align: 'end',
      isWide: true,
      width: 110,
      cell: (event) => number(event.people),
    },
    {
      id: 'last',
      header: t('columns.last'),
      align: 'end',
      isWide: true,
      width: 170,
      cell: (event) => (event.last === null ? t('never') : relative(event.last)),
    },
  ];
}

function useActions(): RowAction<CustomEvent>[] {
  const t = useTexts('events');
  const navigate = useNavigate();
  const remove = async ({ id, name }: CustomEvent) => {
    const isDone = await confirm({
      title: t('delete.title', { name }),
      message: t('delete.message'),
      confirm: t('delete.confirm'),
      isDanger: true,
      run: () => api('DELETE /client-api/api/custom_events/{id}', { params: { id } }),
    });
    if (isDone) await invalidate(LIST_PATH);
  };
  return [
    { label: t('acts.open'), run: ({ id }) => void navigate({ to: `${SCREEN}/${id}` }) },
    { label: t('acts.delete'), isDanger: true, run: (event) => void remove(event) },
  ];
}
