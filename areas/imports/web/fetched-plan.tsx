// The step between entering a service's key and importing: the progress of the fetch, then the same
// plan as for a file.
import { Alert, Button, Progress, Text } from '@mantine/core';
import { useFormats } from '#platform/web/texts/formats.ts';
import { useTexts } from '#platform/web/texts/texts.ts';
import { LoadingState } from '#platform/web/ui/states.tsx';
import { ImportPlan } from './import-plan.tsx';
import classes from './import-result.module.css';
import { useFetching } from './queries.ts';
import { SourceFailed } from './source-failed.tsx';

export interface FetchedPlanProps {
  id: string;
  service: string;
  onBack: () => void;
}

export function FetchedPlan({ id, service, onBack }: FetchedPlanProps) {
  const t = useTexts('imports');
  const { number, percent } = useFormats();
  const query = useFetching(id);
  const data = query.data?.data;
  const missingNotice = { title: t('fetching.gone', { service }), label: t('fetching.again') };
  if (query.isLoadingError)
    return <SourceFailed query={query} missingNotice={{ ...missingNotice, run: onBack }} />;
  if (!data) return <LoadingState rows={6} />;
  if (data.state === 'uploaded')
    return <ImportPlan id={id} missingNotice={missingNotice} onBack={onBack} />;
  if (data.error !== null)
    return (
      <Alert color="danger" role="alert" title={t('fetching.failed')}>
        <Text size="sm" mb="sm">
          {data.error.message}
        </Text>
        <Button variant="default" onClick={onBack}>
          {t('fetching.again')}
        </Button>
      </Alert>
    );
  const progress = data.rowCount === 0 ? 0 : Math.min(1, data.rows_read / data.rowCount);
  return (
    <section className={classes.panel} aria-label={t('fetching.title', { service })}>
      <div className={classes.going}>
        <Text fw={600}>{t('fetching.title', { service })}</Text>
        <Progress.Root size="lg">
          <Progress.Section
            value={Math.max(2, progress * 100)}
            animated
            aria-label={t('fetching.title', { service })}
            aria-valuetext={percent(progress)}
          />
        </Progress.Root>
        <Text size="sm" c="dimmed" role="status" aria-live="polite">
          {t('fetching.read', {
            count: data.rowCount,
            done: number(data.rows_read),
            all: number(data.rowCount),
          })}
        </Text>
        <Text size="sm" c="dimmed">
          {t('fetching.next')}
        </Text>
      </div>
    </section>
  );
}
