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
import { type TableColumn, DataTable } from '#platform/web/ui/data-table.tsx';
import { Page } from '#platform/web/ui/page.tsx';
import { EmptyState } from '#platform/web/ui/states.tsx';
import { StatusDot, type Tone } from '#platform/web/ui/status-dot.tsx';
import type { Export } from '../contract.ts';
import { type ExportState, RETENTION_DAYS } from '../shared.ts';
import { api, downloadExport, LIST_PATH } from './queries.ts';

const SORTS = ['created', 'modified'] as const;
const tones: Record<ExportState, Tone> = {
  queued: 'neutral',
  running: 'active',
  finished: 'success',
  failed: 'danger',
  expired: 'neutral',
};

export default function ExportsScreen() {
  const t = useTexts('exports');
  const list = useListAddress({ sorts: SORTS, direction: 'desc' });
  const rows = useQuery({
    ...api.query('GET /client-api/api/exports', { query: list.query }),
    placeholderData: keepPreviousData,
  });
  useLiveInvalidation('export', LIST_PATH);
  const columns = useColumns();
  const peopleOf = usePeopleName();
  const remove = async (job: Export) => {
    const isDone = await confirm({
      title: t('remove.title'),
      message: t('remove.message'),
      confirm: t('remove.confirm'),
      isDanger: true,
      run: () => api('DELETE /client-api/api/exports/{id}', { params: { id: job.id } }),
    });
    if (isDone) await invalidate(LIST_PATH);
  };
  const subscribers = (
    <Button component={Link} to="/subscribers" variant="default">
      {t('subscribers')}
    </Button>
  );
  return (
    <Page
      title={t('title')}
      description={t('description', { count: RETENTION_DAYS })}
      actions={subscribers}
    >
      <DataTable<Export>
        label={t('title')}
        query={rows}
        list={list}
        rowId={(job) => job.id}
        getRowName={(job) =>
          t('nameOf', { people: peopleOf(job), format: t(`formats.${job.format}`) })
        }
        columns={columns}
        actions={[
          {
            label: t('download'),
            isHidden: (job) => job.state !== 'finished',
            run: (job) => void downloadExport(job.id),
          },
          { label: t('remove.confirm'), isDanger: true, run: (job) => void remove(job) },
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

/**
 * `Filtered subscribers (1,234)`: the number of subscribers in the file; omitted before they are
 * counted.
 */
function usePeopleName(): (job: Export) => string {
  const t = useTexts('exports');
  const { number } = useFormats();
  return (job) => {
    const count = job.state === 'finished' || job.state === 'expired' ? job.row_count : job.total;
    const name = t(`choices.${job.choice}`);
    return count === null ? name : `${name} (${number(count)})`;
  };
}

// oxlint-disable-next-line eslint/max-lines-per-function -- One flat table of columns.
function useColumns(): TableColumn<Export>[] {
  const t = useTexts('exports');
  const { bytes, dateTime, date } = useFormats();
  const peopleOf = usePeopleName();
  return [
    {
      id: 'what',
      header: t('list.what'),
      cell: (job) => (
        <>
          {peopleOf(job)}
          {job.search !== null && (
            <Text span c="dimmed" size="sm">
              {' '}
              <bdi>{job.search}</bdi>
            </Text>
          )}
        </>
      ),
    },
    {
      id: 'state',
      header: t('list.state'),
      width: 150,
      cell: (job) => <State job={job} />,
    },
    {
      id: 'format',
      header: t('list.file'),
      isWide: true,
      width: 140,
      cell: (job) =>
        job.size === null
          ? t(`short.${job.format}`)
          : `${t(`short.${job.format}`)} · ${bytes(job.size)}`,
    },
    {
      id: 'created',
      header: t('list.created'),
      sort: 'created',
      isWide: true,
      width: 190,
      cell: (job) => <time dateTime={job.created}>{dateTime(job.created)}</time>,
    },
    {
      id: 'expires',
      header: t('list.expires'),
      isWide: true,
      width: 130,
      cell: (job) =>
        job.expires === null ? null : <time dateTime={job.expires}>{date(job.expires)}</time>,
    },
    {
      id: 'download',
      header: t('download'),
      align: 'end',
      width: 130,
      cell: (job) =>
        job.state === 'finished' && (
          <Button
            size="compact-sm"
            variant="light"
            leftSection={<IconDownload size={16} stroke={1.75} />}
            onClick={() => void downloadExport(job.id)}
          >
            {t('download')}
          </Button>
        ),
    },
  ];
}

function State({ job }: { job: Export }) {
  const t = useTexts('exports');
  const { percent } = useFormats();
  const progress = job.total ? Math.min(1, job.row_count / job.total) : 0;
  const label = t(`states.${job.state}`);
  return (
    <StatusDot
      tone={tones[job.state]}
      label={job.state === 'running' ? `${label} · ${percent(progress)}` : label}
    />
  );
}
