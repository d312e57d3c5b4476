// Settings for a message that has to wait: whether it ignores the contact guard, and after how many
// hours it is skipped.
import { NumberInput, Switch } from '@mantine/core';
import { useTexts } from '#platform/web/texts/texts.ts';
import type { StepData } from '../../contract.ts';
import type { StepFormProps } from './step-panel.tsx';

export function HoldingFields({ draft: { data, change } }: Pick<StepFormProps, 'draft'>) {
  const t = useTexts('workflows');
  const { ignores_guard: ignores, valid_hours: hours } = data as Partial<StepData['SMS']>;
  return (
    <>
      <Switch
        label={t('holding.ignores')}
        checked={ignores ?? false}
        onChange={(event) => change({ ignores_guard: event.currentTarget.checked || undefined })}
      />
      <NumberInput
        label={t('holding.valid')}
        description={t('holding.validHint')}
        min={1}
        max={8760}
        allowDecimal={false}
        clampBehavior="blur"
        value={hours ?? ''}
        onChange={(next) => change({ valid_hours: typeof next === 'number' ? next : undefined })}
      />
    </>
  );
}
