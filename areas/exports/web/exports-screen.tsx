// Past and running exports: progress, download, deletion.
import { Button, Text } from '@mantine/core';
import { IconDownload, IconFileExport } from '@tabler/icons-react';
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { useFormats } from '#platform/web/texts/formats.ts';
import { useListAddress } from '#platform/web/session/list-address.ts';
import { useLiveInvalidation } from '#platform/web/api/live-queries.ts';
import { invalidate } from '#platform/web/api/queries.ts';
import { useTexts } from '#platform/web/texts/texts.ts';
import { confirm } from '#platform/web/ui/confirm.tsx';
import { type Column, DataTable } from '#platform/web/ui/data-table.tsx';
import { Page } from '#platform/web/ui/page.tsx';
import { EmptyState } from '#platform/web/ui/states.tsx';
import { StatusDot, type Tone } from '#platform/web/ui/status-dot.tsx';
import type { Export } from '../contract.ts';
import { type ExportState, retentionDays } from '../shared.ts';
import { api, downloadExport, LIST } from './queries.ts';

const sorts = ['created', 'modified'] as const;
const tones: Record<ExportState, Tone> = {
  queued: 'neutral',
  running: 'active',
  finished: 'success',
  failed: 'danger',
  expired: 'neutral',
};

export default function ExportsScreen() {
  const t = useTexts('exports');
  const list = useListAddress({ sorts, direction: 'desc' });
  const rows = useQuery({
    ...api.query('GET /client-api/api/exports', { query: list.query }),
    placeholderData: keepPreviousData,
  });
  useLiveInvalidation('export', LIST);
  const columns = useColumns();
  const remove = async (one: Export) => {
    const isDone = await confirm({
      title: t('remove.title'),
      message: t('remove.message'),
      confirm: t('remove.confirm'),
      isDanger: true,
      run: () => api('DELETE /client-api/api/exports/{id}', { params: { id: one.id } }),
    });
    if (isDone) await invalidate(LIST);
  };
  const subscribers = (
    <Button component={Link} to="/subscribers" variant="default">
      {t('subscribers')}
    </Button>
  );
  return (
    <Page
      title={t('title')}
      description={t('description', { count: retentionDays })}
      actions={subscribers}
    >
      <DataTable<Export>
        label={t('title')}
        query={rows}
        list={list}
        rowId={(one) => one.id}
        rowName={(one) =>
          t('nameOf', { people: t(`choices.${one.choice}`), format: t(`formats.${one.format}`) })
        }
        columns={columns}
        actions={[
          {
            label: t('download'),
            isHidden: (one) => one.state !== 'finished',
            run: (one) => void downloadExport(one.id),
          },
          { label: t('remove.confirm'), isDanger: true, run: (one) => void remove(one) },
        ]}
        empty={
          <EmptyState icon={IconFileExport} title={t('empty.title')} action={subscribers}>
            {t('empty.text')}
          </EmptyState>
        }
      />
    </Page>
  );
}

// oxlint-disable-next-line eslint/max-lines-per-function -- One flat table of columns.
function useColumns(): Column<Export>[] {
  const t = useTexts('exports');
  const { number, bytes, dateTime, date } = useFormats();
  return [
    {
      id: 'what',
      header: t('list.what'),
      cell: (one) => (
        <>
          {t(`choices.${one.choice}`)}
          {one.search !== null && (
            <Text span c="dimmed" size="sm">
              {' '}
              <bdi>{one.search}</bdi>
            </Text>
          )}
        </>
      ),
    },
    {
      id: 'state',
      header: t('list.state'),
      width: 150,
      cell: (one) => <State one={one} />,
    },
    {
      id: 'people',
      header: t('list.people'),
      align: 'end',
      isWide: true,
      width: 120,
      cell: (one) => number(one.state === 'finished' ? one.row_count : (one.total ?? 0)),
    },
    {
      id: 'format',
      header: t('list.file'),
      isWide: true,
      width: 140,
      cell: (one) =>
        one.size === null
          ? t(`short.${one.format}`)
          : `${t(`short.${one.format}`)} · ${bytes(one.size)}`,
    },
    {
      id: 'created',
      header: t('list.created'),
      sort: 'created',
      isWide: true,
      width: 190,
      cell: (one) => <time dateTime={one.created}>{dateTime(one.created)}</time>,
    },
    {
      id: 'expires',
      header: t('list.expires'),
      isWide: true,
      width: 130,
      cell: (one) =>
        one.expires === null ? null : <time dateTime={one.expires}>{date(one.expires)}</time>,
    },
    {
      id: 'download',
      header: t('download'),
      align: 'end',
      width: 130,
      cell: (one) =>
        one.state === 'finished' && (
          <Button
            size="compact-sm"
            variant="light"
            leftSection={<IconDownload size={16} stroke={1.75} />}
            onClick={() => void downloadExport(one.id)}
          >
            {t('download')}
          </Button>
        ),
    },
  ];
}

function State({ one }: { one: Export }) {
  const t = useTexts('exports');
  const { percent } = useFormats();
  const share = one.total ? Math.min(1, one.row_count / one.total) : 0;
  const label = t(`states.${one.state}`);
  return (
    <StatusDot
      tone={tones[one.state]}
      label={one.state === 'running' ? `${label} · ${percent(share)}` : label}
    />
  );
}
