// Condition of a section: members of a group or segment, or a field value.
import { Button, Text } from '@mantine/core';
import { IconPlus, IconTrash } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { useTexts } from '#platform/web/texts/texts.ts';
import { SearchableSelect } from '#platform/web/ui/searchable-select.tsx';
import { queryAllGroups, createGroup } from '../../../groups/web/index.ts';
import { queryAllSegments } from '../../../segments/web/index.ts';
import {
  type SectionCondition,
  type ConditionRule,
  DOCUMENT_LIMITS,
  FIELD_OPERATORS,
} from '../../document.ts';
import { useEditorProps } from '../editor-props.ts';
import { FieldPart } from '#platform/web/editing/field-parts.tsx';
import { ChoiceRow, LineRow } from '#platform/web/editing/fields.tsx';
import classes from './inspector.module.css';

export interface ConditionFormProps {
  condition: SectionCondition | null;
  onChange: (condition: SectionCondition | null) => void;
}

export function ConditionForm({ condition, onChange }: ConditionFormProps) {
  const t = useTexts('content');
  const rules = condition?.rules ?? [];
  const match = condition?.match ?? 'all';
  const setRules = (next: ConditionRule[]) =>
    onChange(next.length === 0 ? null : { match, rules: next });
  const add = (rule: ConditionRule) => setRules([...rules, rule]);
  const isFull = rules.length >= DOCUMENT_LIMITS.rules;
  return (
    <FieldPart>
      <Text size="sm" c="dimmed">
        {t(rules.length === 0 ? 'condition.everybody' : 'condition.hint')}
      </Text>
      {rules.length > 1 && (
        <ChoiceRow
          label={t('condition.match')}
          value={match}
          onChange={(next) => onChange({ match: next, rules })}
          data={(['all', 'any'] as const).map((value) => ({
            value,
            label: t(`condition.${value}`),
          }))}
        />
      )}
      {rules.map((rule, index) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: rules have no names
        <div key={index} className={classes.item}>
          <RuleForm rule={rule} onChange={(next) => setRules(rules.with(index, next))} />
          <Button
            size="compact-xs"
            variant="subtle"
            color="gray"
            leftSection={<IconTrash size={14} stroke={1.75} />}
            onClick={() => setRules(rules.toSpliced(index, 1))}
          >
            {t('condition.remove')}
          </Button>
        </div>
      ))}
      {(['group', 'segment', 'field'] as const).map((kind) => (
        <Button
          key={kind}
          size="xs"
          variant="default"
          disabled={isFull}
          leftSection={<IconPlus size={16} stroke={1.75} />}
          onClick={() => add(NEW_RULES[kind])}
        >
          {t(`condition.add.${kind}`)}
        </Button>
      ))}
    </FieldPart>
  );
}

const NEW_RULES: Record<ConditionRule['kind'], ConditionRule> = {
  group: { kind: 'group', operator: 'in', group: '' },
  segment: { kind: 'segment', operator: 'in', segment: '' },
  field: { kind: 'field', field: 'firstname', operator: 'is', value: '' },
};

function RuleForm({
  rule,
  onChange,
}: {
  rule: ConditionRule;
  onChange: (rule: ConditionRule) => void;
}) {
  if (rule.kind === 'field') return <FieldRuleForm rule={rule} onChange={onChange} />;
  return <MemberForm rule={rule} onChange={onChange} />;
}

function MemberForm({
  rule,
  onChange,
}: {
  rule: Exclude<ConditionRule, { kind: 'field' }>;
  onChange: (rule: ConditionRule) => void;
}) {
  const t = useTexts('content');
  const isGroup = rule.kind === 'group';
  const groups = useQuery({ ...queryAllGroups(), enabled: isGroup });
  const storedSegments = useQuery({
    ...queryAllSegments(),
    enabled: !isGroup,
    meta: { notFound: 'inline' },
  });
  const list = (isGroup ? groups.data?.data : storedSegments.data?.data) ?? [];
  const value = isGroup ? rule.group : rule.segment;
  return (
    <>
      <ChoiceRow
        label={t(`condition.kinds.${rule.kind}`)}
        value={rule.operator}
        onChange={(operator) => onChange({ ...rule, operator })}
        data={(['in', 'not_in'] as const).map((operator) => ({
          value: operator,
          label: t(`condition.${operator}`),
        }))}
      />
      <SearchableSelect
        size="xs"
        aria-label={t(`condition.kinds.${rule.kind}`)}
        placeholder={t('condition.choose')}
        value={value || null}
        data={list.map(({ id, title }) => ({ value: id, label: title }))}
        onCreate={isGroup ? createGroup : undefined}
        error={value === '' ? t('condition.incomplete') : undefined}
        onChange={(id) =>
          onChange(isGroup ? { ...rule, group: id ?? '' } : { ...rule, segment: id ?? '' })
        }
      />
    </>
  );
}

function FieldRuleForm({
  rule,
  onChange,
}: {
  rule: Extract<ConditionRule, { kind: 'field' }>;
  onChange: (rule: ConditionRule) => void;
}) {
  const t = useTexts('content');
  const { mergeTags } = useEditorProps();
  const fields = mergeTags.filter(({ kind }) => kind === 'person' || kind === 'field');
  const isUnary = rule.operator === 'blank' || rule.operator === 'not_blank';
  return (
    <>
      <ChoiceRow
        label={t('condition.kinds.field')}
        value={rule.field}
        onChange={(field) => onChange({ ...rule, field })}
        data={fields.map(({ name, title }) => ({ value: name, label: title }))}
      />
      <ChoiceRow
        label={t('condition.operator')}
        value={rule.operator}
        onChange={(operator) =>
          onChange({
            ...rule,
            operator,
            value: operator === 'blank' || operator === 'not_blank' ? '' : rule.value,
          })
        }
        data={FIELD_OPERATORS.map((value) => ({ value, label: t(`condition.operators.${value}`) }))}
      />
      {!isUnary && (
        <LineRow
          label={t('condition.value')}
          value={rule.value}
          onChange={(value) => onChange({ ...rule, value })}
        />
      )}
    </>
  );
}
