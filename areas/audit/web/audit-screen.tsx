// The audit log: actions of users and programs, newest first, with filters, download and retention.
import { Button, NativeSelect } from '@mantine/core';
import { IconDownload, IconHistory } from '@tabler/icons-react';
import { useInfiniteQuery, useQuery } from '@tanstack/react-query';
import { parseOneOf, text, useSearchParams } from '#platform/web/api/address.ts';
import { useAction } from '#platform/web/api/queries.ts';
import { toast } from '#platform/web/errors/notices.tsx';
import { useRights } from '#platform/web/session/rights.ts';
import { useTexts } from '#platform/web/texts/texts.ts';
import { DayField } from '#platform/web/ui/day-field.tsx';
import { Page } from '#platform/web/ui/page.tsx';
import { EmptyState, FailedState, LoadingState } from '#platform/web/ui/states.tsx';
import { ACTORS } from '../shared.ts';
import { AREAS } from './act-kinds.ts';
import { ActRow } from './act-row.tsx';
import classes from './audit.module.css';
import { api, AUDIT } from './queries.ts';

const address = {
  action: text(),
  actor: parseOneOf(['', ...ACTORS], ''),
  from: text(),
  to: text(),
};

interface Filters {
  action: string;
  actor: string;
  from: string;
  to: string;
}

/** Returns only the filters that are set, for the query and the URL of the download. */
const omitEmpty = (filters: Filters) =>
  Object.fromEntries(Object.entries(filters).filter(([, value]) => value !== ''));

export default function AuditScreen() {
  const t = useTexts('audit');
  const [filters, set] = useSearchParams(address);
  const canExport = useRights().has('export');
  const query = omitEmpty(filters);
  const file = `${AUDIT}/export?${new URLSearchParams(query).toString()}`;
  return (
    <Page
      title={t('title')}
      description={t('description')}
      actions={
        canExport && (
          <Button
            component="a"
            href={file}
            download
            variant="default"
            leftSection={<IconDownload size={18} stroke={1.75} />}
          >
            {t('download')}
          </Button>
        )
      }
    >
      <FilterFields filters={filters} set={(change) => set(change, { replace: true })} />
      <AuditEntries query={query} />
      <Retention />
    </Page>
  );
}

interface FilterFieldsProps {
  filters: Filters;
  set: (change: Partial<Filters & { actor: '' | (typeof ACTORS)[number] }>) => void;
}

function FilterFields({ filters, set }: FilterFieldsProps) {
  const t = useTexts('audit');
  const actors = ['', ...ACTORS] as const;
  return (
    <div className={classes.filters}>
      <NativeSelect
        label={t('filters.area')}
        value={filters.action}
        data={[
          { value: '', label: t('filters.all') },
          ...AREAS.map((value) => ({ value: value as string, label: t(`areas.${value}`) })),
        ]}
        onChange={(event) => set({ action: event.currentTarget.value })}
      />
      <NativeSelect
        label={t('filters.actor')}
        value={filters.actor}
        data={actors.map((value) => ({
          value,
          label: value === '' ? t('filters.all') : t(`actors.${value}`),
        }))}
        onChange={(event) => {
          const actor = actors.find((actor) => actor === event.currentTarget.value);
          set({ actor: actor ?? '' });
        }}
      />
      <DayField label={t('filters.from')} value={filters.from} onChange={(from) => set({ from })} />
      <DayField
        label={t('filters.to')}
        value={filters.to}
        min={filters.from}
        onChange={(to) => set({ to })}
      />
    </div>
  );
}

function AuditEntries({ query }: { query: Record<string, string> }) {
  const t = useTexts('audit');
  const entries = useInfiniteQuery({
    queryKey: [...AUDIT.split('/').filter(Boolean), query],
    queryFn: ({ pageParam, signal }) =>
      api('GET /client-api/api/audit', {
        query: { ...query, ...(pageParam ? { before: pageParam } : {}) },
        signal,
      }),
    initialPageParam: '',
    getNextPageParam: (page) => page.next ?? undefined,
  });
  if (entries.isLoadingError) {
    return <FailedState error={entries.error} retry={() => void entries.refetch()} />;
  }
  if (!entries.data) return <LoadingState rows={8} />;
  const rows = entries.data.pages.flatMap(({ data }) => data);
  if (rows.length === 0) {
    return (
      <EmptyState icon={IconHistory} title={t('empty')}>
        {t('emptyText')}
      </EmptyState>
    );
  }
  return (
    <>
      <ol className={classes.acts} aria-label={t('title')}>
        {rows.map((entry) => (
          <ActRow key={entry.id} entry={entry} />
        ))}
      </ol>
      {entries.hasNextPage && (
        <Button
          variant="default"
          loading={entries.isFetchingNextPage}
          onClick={() => void entries.fetchNextPage()}
        >
          {t('more')}
        </Button>
      )}
    </>
  );
}

const RETENTIONS = [30, 90, 180, 365, 730, 1095, 2555];

function Retention() {
  const t = useTexts('audit');
  const settings = useQuery(api.query('GET /client-api/api/audit/settings'));
  const save = useAction(
    (days: number) => api('PUT /client-api/api/audit/settings', { body: { retention_days: days } }),
    { invalidates: [AUDIT], onDone: () => toast(t('saved')) },
  );
  const days = settings.data?.data.retention_days;
  if (days === undefined) return null;
  const choices = RETENTIONS.includes(days) ? RETENTIONS : [...RETENTIONS, days];
  return (
    <section className={classes.retention} aria-labelledby="retention">
      <h2 id="retention">{t('retention.title')}</h2>
      <NativeSelect
        label={t('retention.label')}
        description={t('retention.hint')}
        value={String(days)}
        disabled={save.isPending}
        data={choices.map((count) => ({
          value: String(count),
          label: t('retention.days', { count }),
        }))}
        onChange={(event) => save.mutate(Number(event.currentTarget.value))}
      />
    </section>
  );
}
