// Pickers of groups, fields, segments, forms and events, of a message above a step, and of a
// period.
import { Group, NumberInput, Select } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useTexts } from '#platform/web/texts/texts.ts';
import { SearchableSelect } from '#platform/web/ui/searchable-select.tsx';
import { queryAllEvents } from '../../../events/web/index.ts';
import type { FieldType } from '../../../fields/shared.ts';
import { queryAllFields } from '../../../fields/web/index.ts';
import { listFormsQuery } from '../../../forms/web/index.ts';
import { queryAllGroups, createGroup } from '../../../groups/web/index.ts';
import { queryAllSegments } from '../../../segments/web/index.ts';
import type { WorkflowStep } from '../../contract.ts';
import { ACTIVITIES, type EmailActivity, MAX_AMOUNT, type DelayUnit, UNITS } from '../../shared.ts';
import { listStepsAbove } from '../paths.ts';
import { useBuilder } from '../use-builder.ts';
import { useStepTexts } from '../step-texts.ts';

export interface PickerProps {
  label: string;
  description?: string;
  placeholder?: string;
  clearable?: boolean;
  value: string | undefined;
  onChange: (id: string | undefined) => void;
}

function Picker({
  value,
  onChange,
  options,
  ...labels
}: PickerProps & {
  options: readonly { id: string; title: string }[] | undefined;
  onCreate?: (title: string) => Promise<string | undefined>;
}) {
  return (
    <SearchableSelect
      {...labels}
      value={value ?? null}
      onChange={(id) => onChange(id ?? undefined)}
      data={(options ?? []).map(({ id, title }) => ({ value: id, label: title }))}
    />
  );
}

export const GroupPicker = (props: PickerProps) => (
  <Picker {...props} onCreate={createGroup} options={useQuery(queryAllGroups()).data?.data} />
);

export const SegmentPicker = (props: PickerProps) => (
  <Picker {...props} options={useQuery(queryAllSegments()).data?.data} />
);

export const FormPicker = (props: PickerProps) => (
  <Picker {...props} options={useQuery(listFormsQuery()).data?.data} />
);

export function EventPicker(props: PickerProps) {
  const events = useQuery(queryAllEvents()).data?.data;
  return <Picker {...props} options={events?.map(({ id, name }) => ({ id, title: name }))} />;
}

/** @param types offers only fields of these types; all fields if undefined */
export function FieldPicker({
  types,
  ...props
}: PickerProps & { types?: readonly FieldType[] | undefined }) {
  const fields = useQuery(queryAllFields());
  const matchingFields = fields.data?.data.filter((row) => !types || types.includes(row.type));
  return <Picker {...props} options={matchingFields} />;
}

interface ActivityChoice {
  activity?: EmailActivity | undefined;
  step_id?: string | undefined;
}

/** A kind of engagement, and the message above the step that it applies to. */
export function ActivityPicker({
  step,
  value,
  onChange,
}: {
  step: WorkflowStep;
  value: ActivityChoice;
  onChange: (change: ActivityChoice) => void;
}) {
  const t = useTexts('workflows');
  const { workflow } = useBuilder();
  const { getStepName, getStepSummary } = useStepTexts();
  const messages = listStepsAbove(workflow.steps, step.id).filter(
    ({ type }) => type === 'EMAIL' || type === 'SMS',
  );
  return (
    <>
      <Select
        label={t('conditionForm.activity')}
        value={value.activity ?? null}
        allowDeselect={false}
        comboboxProps={{ shadow: 'md' }}
        data={ACTIVITIES.map((activity) => ({ value: activity, label: t(`activity.${activity}`) }))}
        onChange={(activity) => onChange({ activity: (activity ?? undefined) as EmailActivity })}
      />
      <Select
        label={t('conditionForm.email')}
        description={messages.length === 0 ? t('conditionForm.noEmail') : undefined}
        value={value.step_id ?? null}
        allowDeselect={false}
        comboboxProps={{ shadow: 'md' }}
        data={messages.map((message) => ({
          value: message.id,
          label: `${getStepName(message)} · ${getStepSummary(message)}`,
        }))}
        onChange={(id) => onChange({ step_id: id ?? undefined })}
      />
    </>
  );
}

/** Amount and unit of time. */
export function AmountPicker({
  label,
  amount,
  unit,
  onChange,
}: {
  label: string;
  amount: number | undefined;
  unit: DelayUnit | undefined;
  onChange: (change: { amount?: number | undefined; unit?: DelayUnit | undefined }) => void;
}) {
  const t = useTexts('workflows');
  return (
    <Group gap="sm" align="flex-end" wrap="nowrap">
      <NumberInput
        flex={1}
        label={label}
        min={1}
        max={MAX_AMOUNT}
        allowDecimal={false}
        clampBehavior="blur"
        value={amount ?? ''}
        onChange={(next) =>
          onChange({ amount: typeof next === 'number' && next > 0 ? next : undefined })
        }
      />
      <Select
        flex={1}
        label={t('delayForm.unit')}
        value={unit ?? null}
        allowDeselect={false}
        comboboxProps={{ shadow: 'md' }}
        data={UNITS.map((value) => ({ value, label: t(`unit.${value}`) }))}
        onChange={(value) => onChange({ unit: (value ?? undefined) as DelayUnit })}
      />
    </Group>
  );
}
