// People who received, opened or clicked a transactional email: one kind of activity at a time,
// with a search by address.
import { Button, SegmentedControl, Text } from '@mantine/core';
import { IconActivity, IconDownload } from '@tabler/icons-react';
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { Suspense, useState } from 'react';
import { lazyWithRetry } from '#platform/web/shell/lazy-with-retry.ts';
import { toUnicodeDomain } from '#platform/domain-display.ts';
import { parseOneOf } from '#platform/web/api/address.ts';
import { useFormats } from '#platform/web/texts/formats.ts';
import { useListAddress } from '#platform/web/session/list-address.ts';
import { useTexts } from '#platform/web/texts/texts.ts';
import { type TableColumn, DataTable } from '#platform/web/ui/data-table.tsx';
import { EmptyState } from '#platform/web/ui/states.tsx';
import { useParam } from '#platform/web/hooks/use-param.ts';
import type { ActivityRow } from '../contract.ts';
import { ACTIVITIES } from '../shared.ts';
import { api } from './queries.ts';

const SentEmail = lazyWithRetry(() => import('./sent-email.tsx'));

const SORTS = ['at'] as const;
const filter = { kind: parseOneOf(ACTIVITIES, 'sent') };

export default function ActivityScreen() {
  const t = useTexts('transactional');
  const id = useParam('transactional');
  const list = useListAddress({ sorts: SORTS, direction: 'desc', more: filter });
  const { kind } = list.values;
  const [opened, setOpened] = useState<string>();
  const rows = useQuery({
    ...api.query('GET /client-api/api/transactional/{id}/activity', {
      params: { id },
      query: { ...list.query, kind },
    }),
    placeholderData: keepPreviousData,
  });
  return (
    <>
      <DataTable<ActivityRow>
        label={t('tabs.activity')}
        query={rows}
        list={list}
        rowId={(row) => `${row.id} ${row.at}`}
        getRowName={(row) => toUnicodeDomain(row.email)}
        onOpen={(row) => setOpened(row.id)}
        search={t('activity.find')}
        columns={useColumns()}
        filters={
          <>
            <SegmentedControl
              size="xs"
              aria-label={t('activity.kind')}
              value={kind}
              onChange={(value) => list.set({ kind: filter.kind.read(value) })}
              data={ACTIVITIES.map((value) => ({ value, label: t(`activity.${value}`) }))}
            />
            <Button
              size="xs"
              variant="default"
              component="a"
              href={`/client-api/api/transactional/${id}/activity/export?kind=${kind}`}
              download={`${kind}.csv`}
              leftSection={<IconDownload size={18} stroke={1.75} />}
            >
              {t('activity.export')}
            </Button>
          </>
        }
        empty={
          <EmptyState icon={IconActivity} title={t('activity.empty')}>
            {t('activity.emptyText')}
          </EmptyState>
        }
      />
      <Suspense fallback={null}>
        {opened && <SentEmail template={id} email={opened} close={() => setOpened(undefined)} />}
      </Suspense>
    </>
  );
}

function useColumns(): TableColumn<ActivityRow>[] {
  const t = useTexts('transactional');
  const { dateTime } = useFormats();
  return [
    {
      id: 'email',
      header: t('columns.email'),
      cell: ({ email, url, reason, reply }) => (
        <>
          <bdi dir="ltr">{toUnicodeDomain(email)}</bdi>
          {(url ?? reply ?? reason) && (
            <Text size="xs" c="dimmed">
              <bdi dir="ltr">{url ?? reply ?? reason}</bdi>
            </Text>
          )}
        </>
      ),
    },
    {
      id: 'at',
      header: t('columns.at'),
      sort: 'at',
      align: 'end',
      width: 190,
      cell: ({ at }) => <time dateTime={at}>{dateTime(at)}</time>,
    },
  ];
}
