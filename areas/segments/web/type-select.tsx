// What a condition is about: the types by family, then the account's own fields; found by typing.
import { useQuery } from '@tanstack/react-query';
import type { Ref } from 'react';
import { allFields } from '#areas/fields/web/index.ts';
import { useTexts } from '#platform/web/texts.ts';
import { SearchableSelect } from '#platform/web/ui/searchable-select.tsx';
import { FAMILIES } from '../conditions.ts';
import { type Condition, CONDITION_TYPES } from '../limits.ts';

interface TypeSelectProps {
  condition: Condition | undefined;
  onChange: (type: Condition['type'], key: string) => void;
  inputRef: Ref<HTMLInputElement>;
}

const FIELD = 'field:';

export function TypeSelect({ condition, onChange, inputRef }: TypeSelectProps) {
  const t = useTexts('segments');
  const fields = useQuery(allFields());
  const own = (fields.data?.data ?? []).map((one) => ({
    value: `${FIELD}${one.id}`,
    label: one.title,
  }));
  const key = condition?.key;
  if (key && !own.some((one) => one.value === FIELD + key)) {
    own.push({ value: FIELD + key, label: fields.isPending ? '…' : t('gone') });
  }
  const families = Object.entries(FAMILIES).map(([family, types]) => ({
    group: t(`families.${family}`),
    items: types.map((type) => ({ value: type as string, label: t(`types.${type}`) })),
  }));
  const choose = (value: string | null) => {
    const type = CONDITION_TYPES.find((one) => one === value);
    if (type) onChange(type, '');
    const field = (fields.data?.data ?? []).find((one) => FIELD + one.id === value);
    if (field) onChange(field.type, field.id);
  };
  return (
    <SearchableSelect
      ref={inputRef}
      aria-label={t('about')}
      placeholder={t('choose.type')}
      data={own.length > 0 ? [...families, { group: t('families.fields'), items: own }] : families}
      value={condition ? (key ? FIELD + key : condition.type) : null}
      allowDeselect={false}
      selectFirstOptionOnChange
      selectFirstOptionOnDropdownOpen={condition === undefined}
      maxDropdownHeight={320}
      comboboxProps={{ shadow: 'md', width: 280, position: 'bottom-start' }}
      onChange={choose}
    />
  );
}
