// The setting that makes the better path of a split take over, and the state of the comparison.
import { Select, Stack, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useFormats } from '#platform/web/texts/formats.ts';
import { useTexts } from '#platform/web/texts/texts.ts';
import type { WorkflowStep, StepData } from '../../contract.ts';
import { SPLIT_METRICS } from '../../shared.ts';
import { api } from '../queries.ts';
import { useBuilder } from '../use-builder.ts';

type WinnerMetric = StepData['CONDITION']['winner_by'];

const KEEP = 'keep';

export function SplitWinner({
  step,
  value,
  onChange,
}: {
  step: WorkflowStep;
  value: WinnerMetric;
  onChange: (metric: WinnerMetric) => void;
}) {
  const t = useTexts('workflows');
  const { workflow } = useBuilder();
  const hasGoal = workflow.settings.goal !== null;
  return (
    <Stack gap="xs">
      <Select
        label={t('splitWinner.label')}
        description={t('splitWinner.hint')}
        value={value ?? KEEP}
        allowDeselect={false}
        comboboxProps={{ shadow: 'md' }}
        data={[KEEP, ...SPLIT_METRICS].map((metric) => ({
          value: metric,
          label: t(`splitWinner.${metric}`),
          disabled: metric === 'goal' && !hasGoal,
        }))}
        onChange={(metric) =>
          onChange(metric === KEEP || metric === null ? undefined : (metric as WinnerMetric))
        }
      />
      {!hasGoal && value === 'goal' && (
        <Text size="sm" c="warning" role="status">
          {t('splitWinner.noGoal')}
        </Text>
      )}
      {value !== undefined && <VariantResults step={step} />}
    </Stack>
  );
}

/** The state of the comparison and the results of its last evaluation; nothing without one. */
function VariantResults({ step }: { step: WorkflowStep }) {
  const t = useTexts('workflows');
  const { number, dateTime } = useFormats();
  const { workflow } = useBuilder();
  const params = { id: workflow.id };
  const splits = useQuery(api.query('GET /client-api/api/workflows/{id}/splits', { params }));
  const split = splits.data?.data.find(({ step_id: id }) => id === step.id);
  if (!split) return null;
  const { winner, decided_at: at, counted_from: since } = split;
  return (
    <Stack gap={4} role="status">
      <Text size="sm">
        {winner !== null && at !== null
          ? t('splitWinner.won', { path: winner, at: dateTime(at) })
          : t('splitWinner.comparing', { since: dateTime(since) })}
      </Text>
      {split.paths.map(({ path, people, acted }) => (
        <Text key={path} size="sm" c="dimmed">
          {t('splitWinner.acted', { path, count: people, acted: number(acted) })}
        </Text>
      ))}
    </Stack>
  );
}
