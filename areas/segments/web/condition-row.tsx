// One condition: type, operator and operand, with actions to copy and remove it.
import { ActionIcon, Select, Tooltip } from '@mantine/core';
import { IconCopy, IconX } from '@tabler/icons-react';
import { useEffect, useRef } from 'react';
import { useTexts } from '#platform/web/texts/texts.ts';
import { getOperandKind, listOperators } from '../conditions.ts';
import type { Concat, Condition, Operator } from '../shared.ts';
import { type ConditionDraft, changeType, changeOperator } from './drafts.ts';
import classes from './filter-builder.module.css';
import { OperandField } from './operand-field.tsx';
import { TypeSelect } from './type-select.tsx';
import { operatorKey } from './condition-texts.ts';

interface ConditionRowProps {
  draft: ConditionDraft;
  /** Position in the card, from 1. */
  position: number;
  conjunction: Concat;
  titles: ReadonlyMap<string, string>;
  /** Takes the focus once rendered. */
  isNew: boolean;
  onChange: (condition: Condition) => void;
  onDuplicate: () => void;
  onRemove: () => void;
}

export function ConditionRow(props: ConditionRowProps) {
  const { draft, position, conjunction, titles, isNew, onChange } = props;
  const t = useTexts('segments');
  const { condition } = draft;
  const first = useRef<HTMLInputElement>(null);
  useEffect(() => {
    if (isNew) first.current?.focus();
  }, [isNew]);
  const hasOperand =
    condition !== undefined && getOperandKind(condition.type, condition.operator) !== 'none';
  return (
    <div
      className={classes.row}
      data-empty={!condition || undefined}
      role="group"
      aria-label={t('condition', { place: position })}
    >
      <TypeSelect
        inputRef={first}
        condition={condition}
        onChange={(type, key) => onChange(changeType(type, key, condition, conjunction))}
      />
      {condition && (
        <Select
          aria-label={t('operator')}
          data={listOperators(condition.type).map((value) => ({
            value,
            label: t(operatorKey(condition.type, value)),
          }))}
          value={condition.operator}
          allowDeselect={false}
          comboboxProps={{ shadow: 'md' }}
          maxDropdownHeight={320}
          onChange={(value) => value && onChange(changeOperator(condition, value as Operator))}
        />
      )}
      {condition && hasOperand && (
        <OperandField
          key={`${condition.type}${condition.key}`}
          condition={condition}
          titles={titles}
          onChange={([operand = '', ...more]) => onChange({ ...condition, operand, more })}
        />
      )}
      <RowActions {...props} />
    </div>
  );
}

function RowActions({ draft, position, onDuplicate, onRemove }: ConditionRowProps) {
  const t = useTexts('segments');
  return (
    <span className={classes.rowActs}>
      {draft.condition && (
        <Tooltip label={t('duplicateCondition', { place: position })}>
          <ActionIcon
            aria-label={t('duplicateCondition', { place: position })}
            onClick={onDuplicate}
          >
            <IconCopy size={16} stroke={1.75} />
          </ActionIcon>
        </Tooltip>
      )}
      <Tooltip label={t('removeCondition', { place: position })}>
        <ActionIcon aria-label={t('removeCondition', { place: position })} onClick={onRemove}>
          <IconX size={16} stroke={1.75} />
        </ActionIcon>
      </Tooltip>
    </span>
  );
}
