// One import: its progress while running, then its counts and rejected rows.
import { Alert, Anchor, Button, CloseButton, Progress, Text, Title } from '@mantine/core';
import { IconDownload } from '@tabler/icons-react';
import { Link } from '@tanstack/react-router';
import { useEffect, useRef } from 'react';
import { invalidate } from '#platform/web/api/queries.ts';
import { useFormats } from '#platform/web/texts/formats.ts';
import { useTexts } from '#platform/web/texts/texts.ts';
import { FailedState, LoadingState } from '#platform/web/ui/states.tsx';
import type { Import } from '../contract.ts';
import classes from './import-result.module.css';
import { ImportStateDot } from './import-state.tsx';
import { CHANGED_BY_IMPORT, isInProgress, isUndoing, useImport } from './queries.ts';
import { UndoButton, UndoResult } from './undo-part.tsx';

const COUNTS = [
  'created_count',
  'updated_count',
  'unchanged_count',
  'rejected_count',
  'noted_count',
] as const;

export function ImportResult({ id }: { id: string }) {
  const t = useTexts('imports');
  const query = useImport(id);
  const data = query.data?.data;
  useRefreshAtEnd(data);
  if (query.isLoadingError) return <FailedState error={query.error} retry={query.refetch} />;
  if (!data) return <LoadingState rows={3} />;
  return (
    <section className={classes.panel} aria-label={data.fileName || t('text.name')}>
      <div className={classes.head}>
        <Title order={2} className={classes.name}>
          <bdi>{data.fileName || t('text.name')}</bdi>
        </Title>
        <ImportStateDot data={data} />
        <CloseButton
          component={Link}
          to="/subscribers/imported_subscribers"
          aria-label={t('result.close')}
          className={classes.close}
        />
      </div>
      {isInProgress(data.state) && <ImportProgress data={data} />}
      {data.error && (
        <Alert color="danger" role="alert" mb="md">
          {data.error.message}
        </Alert>
      )}
      <ResultCounts data={data} />
      {data.tags.length > 0 && (
        <Text size="sm" c="dimmed">
          <Groups data={data} />
        </Text>
      )}
      <UndoResult data={data} />
      <Actions data={data} />
    </section>
  );
}

/** Refreshes the lists behind the screen once the import, or its undo, has ended. */
function useRefreshAtEnd(data: Import | undefined): void {
  const wasRunning = useRef(false);
  const isRunning = data !== undefined && (isInProgress(data.state) || isUndoing(data.undo));
  useEffect(() => {
    if (wasRunning.current && !isRunning) void invalidate(...CHANGED_BY_IMPORT);
    wasRunning.current = isRunning;
  }, [isRunning]);
}

function ImportProgress({ data }: { data: Import }) {
  const t = useTexts('imports');
  const { number, percent } = useFormats();
  const progress = data.rowCount === 0 ? 0 : Math.min(1, data.rows_read / data.rowCount);
  return (
    <div className={classes.going}>
      <Progress.Root size="lg">
        <Progress.Section
          value={Math.max(1, progress * 100)}
          animated
          aria-label={t('result.progress')}
          aria-valuetext={percent(progress)}
        />
      </Progress.Root>
      <Text size="sm" c="dimmed" role="status" aria-live="polite">
        {data.state === 'queued'
          ? t('result.waiting')
          : t('result.read', {
              count: data.rowCount,
              done: number(data.rows_read),
              all: number(data.rowCount),
            })}
      </Text>
      <Text size="sm" c="dimmed">
        {t('result.leave')}
      </Text>
    </div>
  );
}

function ResultCounts({ data }: { data: Import }) {
  const t = useTexts('imports');
  const { number } = useFormats();
  return (
    <dl className={classes.figures}>
      {COUNTS.map((name) => (
        <div key={name} data-name={name} data-any={data[name] > 0 || undefined}>
          <dt title={t(`meanings.${name}`)}>{t(`counts.${name}`)}</dt>
          <dd>{number(data[name])}</dd>
        </div>
      ))}
    </dl>
  );
}

function Groups({ data }: { data: Import }) {
  const t = useTexts('imports');
  const { list } = useFormats();
  return t('result.groups', { groups: list(data.tags.map((tag) => tag.title)) });
}

function Actions({ data }: { data: Import }) {
  const t = useTexts('imports');
  const { number } = useFormats();
  const issues = data.rejected_count + data.noted_count;
  if (isInProgress(data.state)) return null;
  return (
    <div className={classes.acts}>
      {data.rejected_until !== null && (
        <Button
          component="a"
          variant="default"
          href={`/client-api/api/imports/${data.id}/rejected.csv`}
          download
          leftSection={<IconDownload size={18} stroke={1.75} />}
        >
          {t('result.download', { count: issues, shown: number(issues) })}
        </Button>
      )}
      <UndoButton data={data} />
      <Anchor component={Link} to="/subscribers" size="sm">
        {t('result.subscribers')}
      </Anchor>
      {issues > 0 && <RejectedRetention until={data.rejected_until} />}
    </div>
  );
}

/**
 * Shows when the rejected rows are deleted: they contain personal data of people who are not
 * subscribers.
 */
function RejectedRetention({ until }: { until: string | null }) {
  const t = useTexts('imports');
  const { date } = useFormats();
  return (
    <Text size="sm" c="dimmed" className={classes.kept}>
      {until === null ? t('result.rowsGone') : t('result.rowsUntil', { date: date(until) })}
    </Text>
  );
}
