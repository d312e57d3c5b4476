// The repetition in the review of a campaign: the rule, its next days, and past campaigns of the
// series. Future occurrences can be edited or skipped, and skipped occurrences can be restored.
import { Anchor, Button, Group, Paper, Stack, Text } from '@mantine/core';
import { IconRepeat } from '@tabler/icons-react';
import { Link, useNavigate } from '@tanstack/react-router';
import { Suspense, useState } from 'react';
import { invalidate } from '#platform/web/api/queries.ts';
import { showError } from '#platform/web/errors/errors.ts';
import { undoable } from '#platform/web/errors/notices.tsx';
import { lazyWithRetry } from '#platform/web/shell/lazy-with-retry.ts';
import { useFormats } from '#platform/web/texts/formats.ts';
import { useTexts } from '#platform/web/texts/texts.ts';
import { confirm } from '#platform/web/ui/confirm.tsx';
import { RowMenu } from '#platform/web/ui/row-menu.tsx';
import { FailedState, LoadingState } from '#platform/web/ui/states.tsx';
import type { Series, SeriesDate } from '../../planning-contract.ts';
import { type Broadcast, type BroadcastUi, listAffectedQueries } from '../ui.ts';
import { useRuleSentence } from './rule-sentence.ts';
import classes from './repeat-panel.module.css';
import { planningApi, useSeriesDates } from './series-api.ts';

const RepeatDialog = lazyWithRetry(() => import('./repeat-dialog.tsx'));

export interface RepeatPanelProps {
  ui: BroadcastUi;
  campaign: Broadcast;
}

export default function RepeatPanel({ ui, campaign }: RepeatPanelProps) {
  const t = useTexts('broadcasts');
  const [isOpen, setOpen] = useState(false);
  const { series, series_of, status } = campaign;
  if (series_of !== null) {
    return (
      <Paper withBorder p="md">
        <Text size="sm">
          {t('series.partOf')}{' '}
          <Anchor component={Link} to={ui.getStepPath(series_of, 'review')}>
            {t('series.openModel')}
          </Anchor>
        </Text>
      </Paper>
    );
  }
  if (status !== 'DRAFT') return null;
  return (
    <Paper withBorder p="md">
      <Group justify="space-between" mb="xs">
        <Text component="h2" fw={600}>
          {t('series.title')}
        </Text>
        <Button
          size="compact-sm"
          variant="default"
          leftSection={<IconRepeat size={16} stroke={1.75} />}
          onClick={() => setOpen(true)}
        >
          {t(series ? 'series.change' : 'series.open')}
        </Button>
      </Group>
      {series ? (
        <Repetition ui={ui} campaign={campaign} series={series} />
      ) : (
        <Text size="sm" c="dimmed">
          {t('series.hint')}
        </Text>
      )}
      <Suspense>
        <RepeatDialog ui={ui} campaign={campaign} isOpen={isOpen} close={() => setOpen(false)} />
      </Suspense>
    </Paper>
  );
}

function Repetition({ ui, campaign, series }: RepeatPanelProps & { series: Series }) {
  const t = useTexts('broadcasts');
  const sentence = useRuleSentence();
  const { date } = useFormats();
  const dates = useSeriesDates(ui.base, campaign.id);
  const stop = async () => {
    await confirm({
      title: t('series.stop'),
      message: t('series.stopText', { title: campaign.title }),
      confirm: t('series.stop'),
      run: () =>
        planningApi(ui.base)('DELETE /client-api/api/campaigns/{id}/series', {
          params: { id: campaign.id },
        }),
    });
    await invalidate(...listAffectedQueries(ui, campaign.id), '/client-api/api/calendar');
  };
  return (
    <Stack gap="sm">
      <Text size="sm">
        {sentence(series.rule)}
        {series.ends_on !== null &&
          ` · ${t('series.until', { day: date(`${series.ends_on}T12:00:00Z`, 'UTC') })}`}
      </Text>
      <Text size="sm" c="dimmed">
        {t(series.is_only_new ? 'series.onlyNewOn' : 'series.onlyNewOff')}
      </Text>
      {dates.data?.data.some(({ state }) => state === 'scheduled') && (
        <Text size="sm" c="dimmed">
          {t('series.existing')}
        </Text>
      )}
      {dates.isLoadingError ? (
        <FailedState error={dates.error} retry={() => void dates.refetch()} />
      ) : dates.data ? (
        <ol className={classes.dates}>
          {dates.data.data.map((row) => (
            <DateRow key={row.on} ui={ui} modelId={campaign.id} date={row} zone={series.zone} />
          ))}
        </ol>
      ) : (
        <LoadingState rows={3} />
      )}
      <Group>
        <Button size="compact-sm" variant="subtle" color="danger" onClick={() => void stop()}>
          {t('series.stop')}
        </Button>
      </Group>
    </Stack>
  );
}

interface DateRowProps {
  ui: BroadcastUi;
  modelId: string;
  date: SeriesDate;
  zone: string;
}

function DateRow({ ui, modelId, date, zone }: DateRowProps) {
  const t = useTexts('broadcasts');
  const { dateTime } = useFormats();
  const dateActions = useDateActs(ui, modelId, date);
  const dateText = dateTime(date.at, zone);
  const isOpen = date.state === 'planned' || date.state === 'scheduled' || date.state === 'draft';
  return (
    <li className={classes.date} data-state={date.state}>
      <span>
        {date.campaign ? (
          <Anchor component={Link} to={`${ui.listPath}/${date.campaign}`} size="sm">
            {dateText}
          </Anchor>
        ) : (
          <Text component="span" size="sm">
            {dateText}
          </Text>
        )}{' '}
        <Text component="span" size="xs" c="dimmed">
          {t(`series.states.${date.state}`)}
        </Text>
      </span>
      <RowMenu
        row={date}
        name={dateText}
        actions={[
          {
            label: t('series.editOne'),
            isHidden: () => !isOpen,
            run: () => void dateActions.edit(),
          },
          {
            label: t('series.skip'),
            isHidden: () => !isOpen,
            run: () => void dateActions.skip(dateText),
          },
          {
            label: t('series.unskip'),
            isHidden: ({ state }) => state !== 'skipped',
            run: () => void dateActions.unskip(),
          },
        ]}
      />
    </li>
  );
}

function useDateActs(ui: BroadcastUi, modelId: string, date: SeriesDate) {
  const t = useTexts('broadcasts');
  const navigate = useNavigate();
  const api = planningApi(ui.base);
  const call = { params: { id: modelId }, body: { on: date.on } };
  const refresh = () => invalidate(...listAffectedQueries(ui, modelId), '/client-api/api/calendar');
  const attempt = async (work: () => Promise<unknown>) => {
    try {
      await work();
    } catch (error) {
      showError(error);
    }
    await refresh();
  };
  const unskip = () =>
    attempt(() =>
      api('POST /client-api/api/campaigns/{id}/series/unskip', {
        ...call,
        idempotencyKey: crypto.randomUUID(),
      }),
    );
  return {
    unskip,
    skip: (dateText: string) =>
      attempt(async () => {
        await api('POST /client-api/api/campaigns/{id}/series/skip', {
          ...call,
          idempotencyKey: crypto.randomUUID(),
        });
        undoable(t('series.skipped', { when: dateText }), () => void unskip());
      }),
    /** Opens the campaign of the day; a planned one is created first. */
    edit: () =>
      attempt(async () => {
        const { data } = await api('POST /client-api/api/campaigns/{id}/series/prepare', {
          ...call,
          idempotencyKey: crypto.randomUUID(),
        });
        await navigate({ to: `${ui.listPath}/${(data as { id: string }).id}` });
      }),
  };
}
