// The input for an operator's operand: a text, a number, a range, dates, a choice, or none.
import { MultiSelect, Select, TagsInput, TextInput } from '@mantine/core';
import { STATUSES } from '#areas/subscribers/shared.ts';
import { useTranslation } from 'react-i18next';
import { texts, useTexts } from '#platform/web/texts/texts.ts';
import { getOperandKind } from '../conditions.ts';
import type { Condition } from '../shared.ts';
import { formatMonthName } from '../sentence.ts';
import { ChoiceField } from './choice-field.tsx';
import classes from './filter-builder.module.css';
import { DateField } from './date-field.tsx';
import { NumberField } from './number-field.tsx';

const MONTHS = Array.from({ length: 12 }, (_, at) => String(at + 1));

interface OperandFieldProps {
  condition: Condition;
  titles: ReadonlyMap<string, string>;
  onChange: (values: string[]) => void;
}

export function OperandField({ condition, titles, onChange }: OperandFieldProps) {
  const t = useTexts('segments');
  const kind = getOperandKind(condition.type, condition.operator);
  const values = condition.operand === '' ? condition.more : [condition.operand, ...condition.more];
  const { operator, operand } = condition;
  const label = t('value');
  const setValue = (text: string) => onChange([text]);
  switch (kind) {
    case 'text':
      return <TextValue label={label} value={operand} onChange={setValue} />;
    case 'texts':
      return <TextsField label={label} values={values} onChange={onChange} />;
    case 'number':
      return <NumberField label={label} value={operand} onChange={setValue} />;
    case 'count':
      return (
        <NumberField label={t(`counts.${operator}`)} value={operand} isWhole onChange={setValue} />
      );
    case 'month':
      return <MonthField label={label} value={operand} onChange={setValue} />;
    case 'date':
      return (
        <DateField
          label={label}
          value={operand}
          hasTimes={condition.type === 'datetime'}
          onChange={setValue}
        />
      );
    case 'number_range':
    case 'date_range':
      return (
        <Range
          kind={kind}
          hasTimes={condition.type === 'datetime'}
          bounds={[operand, condition.more[0] ?? '']}
          onChange={onChange}
        />
      );
    case 'status':
    case 'statuses':
      return (
        <StatusField isOne={kind === 'status'} values={values} label={label} onChange={onChange} />
      );
    case 'groups':
    case 'campaigns':
    case 'sms_campaigns':
    case 'stores':
    case 'products':
      return (
        <ChoiceField key={kind} kind={kind} titles={titles} {...{ label, values, onChange }} />
      );
    default:
      return null;
  }
}

interface TextValueProps {
  label: string;
  value: string;
  onChange: (text: string) => void;
}

function TextValue({ label, value, onChange }: TextValueProps) {
  return (
    <TextInput
      aria-label={label}
      autoComplete="off"
      maxLength={500}
      value={value}
      onChange={(event) => onChange(event.currentTarget.value)}
    />
  );
}

interface MonthFieldProps {
  label: string;
  /** From 1 to 12; empty for none. */
  value: string;
  onChange: (month: string) => void;
}

function MonthField({ label, value, onChange }: MonthFieldProps) {
  const { i18n } = useTranslation(undefined, { i18n: texts });
  return (
    <Select
      aria-label={label}
      data={MONTHS.map((month) => ({ value: month, label: formatMonthName(month, i18n.language) }))}
      value={value || null}
      allowDeselect={false}
      onChange={(month) => month && onChange(month)}
    />
  );
}

interface TextsProps {
  label: string;
  values: string[];
  onChange: (values: string[]) => void;
}

function TextsField({ label, values, onChange }: TextsProps) {
  const t = useTexts('segments');
  return (
    <TagsInput
      aria-label={label}
      placeholder={values.length > 0 ? undefined : t('several')}
      value={values}
      onChange={onChange}
      acceptValueOnBlur
      maxTags={100}
      clearButtonProps={{ 'aria-label': t('clear') }}
    />
  );
}

interface RangeProps {
  kind: 'number_range' | 'date_range';
  hasTimes: boolean;
  bounds: [string, string];
  onChange: (values: string[]) => void;
}

function Range({ kind, hasTimes, bounds: [from, to], onChange }: RangeProps) {
  const t = useTexts('segments');
  const end = (label: string, value: string, change: (text: string) => void) =>
    kind === 'number_range' ? (
      <NumberField label={label} value={value} onChange={change} />
    ) : (
      <DateField label={label} value={value} hasTimes={hasTimes} onChange={change} />
    );
  return (
    <div className={classes.range} data-times={hasTimes || undefined}>
      {end(t('from'), from, (text) => onChange([text, to]))}
      <span className={classes.dash}>{t('and')}</span>
      {end(t('to'), to, (text) => onChange([from, text]))}
    </div>
  );
}

interface StatusFieldProps {
  isOne: boolean;
  label: string;
  values: string[];
  onChange: (values: string[]) => void;
}

function StatusField({ isOne, label, values, onChange }: StatusFieldProps) {
  const t = useTexts('segments');
  const data = STATUSES.map((value) => ({ value, label: t(`statuses.${value}`) }));
  if (isOne) {
    return (
      <Select
        aria-label={label}
        placeholder={t('choose.status')}
        data={data}
        value={values[0] ?? null}
        allowDeselect={false}
        onChange={(value) => onChange(value ? [value] : [])}
      />
    );
  }
  return (
    <MultiSelect
      aria-label={label}
      placeholder={values.length > 0 ? undefined : t('choose.status')}
      data={data}
      value={values}
      onChange={onChange}
    />
  );
}
