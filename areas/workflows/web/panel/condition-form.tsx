// Settings of a CONDITION step: segment conditions, a saved segment, engagement with a message
// above, or a random split.
import {
  ActionIcon,
  Button,
  Group,
  NumberInput,
  Select,
  Stack,
  Text,
  TextInput,
} from '@mantine/core';
import { IconPlus, IconX } from '@tabler/icons-react';
import { useTexts } from '#platform/web/texts/texts.ts';
import type { StepData } from '../../contract.ts';
import { CONDITION_KINDS, SPLIT_PATHS } from '../../shared.ts';
import { ConditionsField } from './conditions-field.tsx';
import { ActivityPicker, AmountPicker, SegmentPicker } from './pickers.tsx';
import { SplitWinner } from './split-winner.tsx';
import type { StepFormProps } from './step-panel.tsx';

type ConditionData = Partial<StepData['CONDITION']>;
type SplitShareData = NonNullable<ConditionData['shares']>[number];

export function ConditionForm({ step, draft: { data, change } }: StepFormProps) {
  const t = useTexts('workflows');
  const { kind } = data as ConditionData;
  return (
    <>
      <Select
        label={t('conditionForm.what')}
        description={kind && t(`conditionHint.${kind}`)}
        value={kind ?? null}
        allowDeselect={false}
        comboboxProps={{ shadow: 'md' }}
        data={CONDITION_KINDS.map((value) => ({ value, label: t(`condition.${value}`) }))}
        onChange={(value) =>
          change({
            kind: value ?? undefined,
            ...(value === 'split' && { shares: (data as ConditionData).shares ?? HALVES }),
          })
        }
      />
      {kind === 'segment' && (
        <ConditionsField
          value={(data as ConditionData).conditions}
          onChange={(conditions) => change({ conditions })}
        />
      )}
      {kind === 'saved' && (
        <SegmentPicker
          label={t('fields.segment')}
          value={(data as ConditionData).segment}
          onChange={(segment) => change({ segment })}
        />
      )}
      {kind === 'activity' && (
        <Activity step={step} data={data as ConditionData} onChange={change} />
      )}
      {kind === 'split' && (
        <>
          <SplitShares data={data as ConditionData} onChange={change} />
          <SplitWinner
            step={step}
            value={(data as ConditionData).winner_by}
            onChange={(metric) => change({ winner_by: metric })}
          />
        </>
      )}
    </>
  );
}

const HALVES: SplitShareData[] = [
  { path: 'A', share: 50 },
  { path: 'B', share: 50 },
];

interface PartProps {
  data: ConditionData;
  onChange: (change: ConditionData) => void;
}

function Activity({ step, data, onChange }: PartProps & Pick<StepFormProps, 'step'>) {
  const t = useTexts('workflows');
  return (
    <>
      <ActivityPicker step={step} value={data} onChange={onChange} />
      {data.activity === 'clicked' && (
        <TextInput
          type="url"
          dir="ltr"
          label={t('conditionForm.url')}
          maxLength={2000}
          value={data.url ?? ''}
          onChange={(event) => onChange({ url: event.currentTarget.value || undefined })}
        />
      )}
      <AmountPicker
        label={t('conditionForm.within')}
        amount={data.amount}
        unit={data.unit}
        onChange={(changes) =>
          onChange(
            'amount' in changes && changes.amount === undefined
              ? { ...changes, unit: undefined }
              : changes,
          )
        }
      />
      <Text size="sm" c="dimmed">
        {t('conditionForm.once')}
      </Text>
    </>
  );
}

function SplitShares({ data, onChange }: PartProps) {
  const t = useTexts('workflows');
  const shares = data.shares ?? HALVES;
  const shareTotal = shares.reduce((total, share) => total + share.share, 0);
  const updateShares = (next: SplitShareData[]) => onChange({ shares: next });
  const next = SPLIT_PATHS[shares.length];
  return (
    <Stack gap="xs">
      {shares.map(({ path, share }, index) => (
        <Group key={path} gap="xs" align="flex-end" wrap="nowrap">
          <NumberInput
            flex={1}
            label={t('conditionForm.path', { path })}
            min={0}
            max={100}
            allowDecimal={false}
            suffix=" %"
            value={share}
            onChange={(value) =>
              updateShares(
                shares.with(index, { path, share: typeof value === 'number' ? value : 0 }),
              )
            }
          />
          {shares.length > 2 && index === shares.length - 1 && (
            <ActionIcon
              size="input-sm"
              variant="default"
              aria-label={t('conditionForm.removePath', { path })}
              onClick={() => updateShares(shares.slice(0, -1))}
            >
              <IconX size={16} stroke={1.75} />
            </ActionIcon>
          )}
        </Group>
      ))}
      {shareTotal !== 100 && (
        <Text size="sm" c="warning" role="status">
          {t('conditionForm.sum', { sum: shareTotal })}
        </Text>
      )}
      {next && (
        <Group>
          <Button
            size="xs"
            variant="default"
            leftSection={<IconPlus size={16} stroke={1.75} />}
            onClick={() => updateShares([...shares, { path: next, share: 0 }])}
          >
            {t('conditionForm.addPath')}
          </Button>
        </Group>
      )}
    </Stack>
  );
}
