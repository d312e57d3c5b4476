// The head of one column of the file: its heading, its target and the format of its values.
import { Select, TextInput } from '@mantine/core';
import { useFormats } from '#platform/web/texts/formats.ts';
import { useTexts } from '#platform/web/texts/texts.ts';
import { SearchableSelect } from '#platform/web/ui/searchable-select.tsx';
import {
  type DateOrder,
  type DecimalMark,
  DATE_ORDERS,
  DECIMAL_MARKS,
  type NewFieldType,
  NEW_FIELD_TYPES,
} from '../shared.ts';
import classes from './columns-table.module.css';
import type { AccountField } from './columns-table.tsx';
import { type PlannedColumn, getTargetType } from './plan.ts';

const CONTACT = ['email', 'phone', 'firstname', 'lastname', 'fullname'] as const;
const STATUS_TARGETS = [
  'email_status',
  'email_suppressed',
  'sms_status',
  'sms_suppressed',
  'all_suppressed',
  'consent_at',
  'unsubscribed_at',
] as const;

export interface ColumnHeadProps {
  column: PlannedColumn;
  fields: readonly AccountField[];
  onTargetChange: (target: string) => void;
  onChange: (change: Partial<PlannedColumn>) => void;
}

export function ColumnHead({ column, fields, onTargetChange, onChange }: ColumnHeadProps) {
  const t = useTexts('imports');
  const { number } = useFormats();
  const name = column.title || t('columns.number', { number: number(column.column + 1) });
  const option = (value: string) => ({ value, label: t(`targets.${value}`) });
  return (
    <div className={classes.head}>
      <div className={classes.title} title={name}>
        <bdi>{name}</bdi>
      </div>
      <SearchableSelect
        size="xs"
        aria-label={t('columns.becomes', { column: name })}
        value={column.target}
        allowDeselect={false}
        onChange={(value) => value && onTargetChange(value)}
        data={[
          { group: t('targets.contact'), items: CONTACT.map(option) },
          {
            group: t('targets.fields'),
            items: [
              ...fields.map((field) => ({ value: field.id, label: field.title })),
              option('new'),
            ],
          },
          { group: t('groups.title'), items: [option('groups')] },
          { group: t('targets.standing'), items: STATUS_TARGETS.map(option) },
          { group: t('targets.nothing'), items: [option('skip')] },
        ]}
      />
      {column.target === 'fullname' && <div className={classes.note}>{t('columns.split')}</div>}
      {column.target === 'new' && <NewField column={column} name={name} onChange={onChange} />}
      <Formats column={column} name={name} fields={fields} onChange={onChange} />
    </div>
  );
}

type PartProps = Pick<ColumnHeadProps, 'column' | 'onChange'> & { name: string };

function NewField({ column, name, onChange }: PartProps) {
  const t = useTexts('imports');
  return (
    <>
      <TextInput
        size="xs"
        aria-label={t('columns.newTitle', { column: name })}
        placeholder={t('columns.newPlaceholder')}
        value={column.newTitle}
        maxLength={100}
        error={column.newTitle.trim() === '' ? t('faults.newTitle') : undefined}
        onChange={(event) => onChange({ newTitle: event.currentTarget.value })}
      />
      <Select
        size="xs"
        aria-label={t('columns.newType', { column: name })}
        value={column.type}
        allowDeselect={false}
        onChange={(value) => value && onChange({ type: value as NewFieldType })}
        data={NEW_FIELD_TYPES.map((value) => ({ value, label: t(`types.${value}`) }))}
      />
    </>
  );
}

/**
 * The format of dates or numbers. 03/04/2026 and 1,234 are ambiguous, so the user can change the
 * detected format.
 */
function Formats(props: PartProps & { fields: readonly AccountField[] }) {
  const { column, name, fields, onChange } = props;
  const t = useTexts('imports');
  const type = getTargetType(column, fields);
  if (type === 'datetime' || type === 'birthday')
    return (
      <Select
        size="xs"
        aria-label={t('columns.dateOrder', { column: name })}
        value={column.dateOrder}
        allowDeselect={false}
        onChange={(value) => value && onChange({ dateOrder: value as DateOrder })}
        data={DATE_ORDERS.map((value) => ({ value, label: t(`dateOrders.${value}`) }))}
      />
    );
  if (type === 'number')
    return (
      <Select
        size="xs"
        aria-label={t('columns.decimalMark', { column: name })}
        value={column.decimalMark}
        allowDeselect={false}
        onChange={(value) => value && onChange({ decimalMark: value as DecimalMark })}
        data={DECIMAL_MARKS.map((value) => ({
          value,
          label: t(value === '.' ? 'decimalMarks.point' : 'decimalMarks.comma'),
        }))}
      />
    );
  return null;
}
