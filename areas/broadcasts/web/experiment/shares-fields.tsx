// Fields for the sizes of the test and the control group, and a bar that shows the split.
import { NumberInput, SimpleGrid, Stack, Text } from '@mantine/core';
import type { FormHandle } from '#platform/web/forms.ts';
import { useTexts } from '#platform/web/texts/texts.ts';
import { DEFAULT_HOLDOUT_DAYS, MAX_HOLDOUT_DAYS, MAX_HOLDOUT_SHARE } from '../../shared.ts';
import type { ExperimentDetails } from './experiment-api.ts';
import { ExperimentBar, VisibleDifference } from './experiment-bar.tsx';
import { type ExperimentValues, getExperimentRate } from './experiment-values.ts';

interface Props {
  form: FormHandle<ExperimentValues>;
  recipientCount: number | undefined;
  experiment: ExperimentDetails | undefined;
}

export function SharesFields({ form, recipientCount, experiment }: Props) {
  const t = useTexts('experiments');
  const { variants, testShare, holdoutShare, metric } = form.getValues();
  const shares = { variants: variants.length, testShare, holdoutShare };
  const rate = getExperimentRate(metric, experiment);
  return (
    <Stack gap="md">
      <Text component="h2" fw={600}>
        {t('shares.title')}
      </Text>
      <SimpleGrid cols={{ base: 1, sm: 2 }}>
        <NumberInput
          label={t('shares.test')}
          description={t('shares.testHint')}
          min={1}
          max={100}
          allowDecimal={false}
          suffix=" %"
          {...form.getInputProps('testShare')}
          onChange={(value) => form.setFieldValue('testShare', Number(value) || 1)}
        />
        <NumberInput
          label={t('shares.holdout')}
          description={t('shares.holdoutHint')}
          min={0}
          max={MAX_HOLDOUT_SHARE}
          allowDecimal={false}
          suffix=" %"
          {...form.getInputProps('holdoutShare')}
          onChange={(value) => form.setFieldValue('holdoutShare', Number(value) || 0)}
        />
        {holdoutShare > 0 && (
          <NumberInput
            label={t('shares.days')}
            description={t('shares.daysHint')}
            min={1}
            max={MAX_HOLDOUT_DAYS}
            allowDecimal={false}
            {...form.getInputProps('holdoutDays')}
            onChange={(value) =>
              form.setFieldValue('holdoutDays', Number(value) || DEFAULT_HOLDOUT_DAYS)
            }
          />
        )}
      </SimpleGrid>
      <ExperimentBar shares={shares} recipientCount={recipientCount} />
      {recipientCount !== undefined && recipientCount > 0 && (
        <VisibleDifference
          shares={shares}
          recipientCount={recipientCount}
          metric={metric}
          rate={rate}
          onShare={(share) => form.setFieldValue('testShare', share)}
        />
      )}
    </Stack>
  );
}
