// Fields for the metric, the duration, and what happens at the end of the test.
import { NumberInput, Radio, Select, SimpleGrid, Stack, Text } from '@mantine/core';
import type { FormHandle } from '#platform/web/forms.ts';
import { useTexts } from '#platform/web/texts/texts.ts';
import { FALLBACKS, MAX_DURATION_HOURS, MIN_DURATION_HOURS } from '../../shared.ts';
import { type ExperimentValues, METRICS_OF } from './experiment-values.ts';

interface Props {
  channel: 'email' | 'sms';
  form: FormHandle<ExperimentValues>;
}

export function DecisionFields({ channel, form }: Props) {
  const t = useTexts('experiments');
  const { testShare, holdoutShare } = form.getValues();
  const hasRest = testShare + holdoutShare < 100;
  return (
    <Stack gap="md">
      <Text component="h2" fw={600}>
        {t('decision.title')}
      </Text>
      <SimpleGrid cols={{ base: 1, sm: 2 }}>
        <Select
          label={t('decision.metric')}
          allowDeselect={false}
          data={METRICS_OF[channel].map((metric) => ({
            value: metric,
            label: t(`metric.${metric}`),
          }))}
          {...form.getInputProps('metric')}
        />
        <NumberInput
          label={t('decision.duration')}
          description={t('decision.durationHint')}
          min={MIN_DURATION_HOURS}
          max={MAX_DURATION_HOURS}
          allowDecimal={false}
          {...form.getInputProps('duration')}
          onChange={(value) => form.setFieldValue('duration', Number(value) || MIN_DURATION_HOURS)}
        />
      </SimpleGrid>
      {hasRest && (
        <>
          <Radio.Group label={t('decision.who')} {...form.getInputProps('decision')}>
            <Stack gap="xs" mt="xs">
              <Radio value="automatic" label={t('decision.automatic')} />
              <Radio value="manual" label={t('decision.manual')} />
            </Stack>
          </Radio.Group>
          <Select
            label={t('decision.fallback')}
            allowDeselect={false}
            data={FALLBACKS.map((fallback) => ({
              value: fallback,
              label: t(`decision.${fallback}`),
            }))}
            {...form.getInputProps('fallback')}
          />
        </>
      )}
    </Stack>
  );
}
