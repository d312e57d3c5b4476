// The select of a condition's type, with a search. It lists the built-in types by family, then the
// account's own fields and events.
import { useQuery } from '@tanstack/react-query';
import type { Ref } from 'react';
import { queryAllEvents } from '#areas/events/web/index.ts';
import { queryAllFields } from '#areas/fields/web/index.ts';
import { useTexts } from '#platform/web/texts/texts.ts';
import { SearchableSelect } from '#platform/web/ui/searchable-select.tsx';
import { FAMILIES, getKeyKind } from '../conditions.ts';
import {
  CONDITION_TYPES,
  type Condition,
  EVENT_CONDITION_TYPES,
  SMS_CONDITION_TYPES,
} from '../shared.ts';

interface TypeSelectProps {
  condition: Condition | undefined;
  onChange: (type: Condition['type'], key: string) => void;
  inputRef: Ref<HTMLInputElement>;
}

type TypeChoice = { type: Condition['type']; key: string; label: string };

const toOptionValue = ({ type, key }: { type: string; key: string }) =>
  key ? `${type}:${key}` : type;

export function TypeSelect({ condition, onChange, inputRef }: TypeSelectProps) {
  const t = useTexts('segments');
  const { fields, events } = useOwnTypes(condition);
  const families = Object.entries(FAMILIES).map(([family, types]) => ({
    group: t(`families.${family}`),
    items: types.map((type) => ({ value: type as string, label: t(`types.${type}`) })),
  }));
  const family = (group: string, ownChoices: TypeChoice[]) =>
    ownChoices.length > 0
      ? [
          {
            group,
            items: ownChoices.map((choice) => ({
              value: toOptionValue(choice),
              label: choice.label,
            })),
          },
        ]
      : [];
  const choose = (value: string | null) => {
    const type = [...CONDITION_TYPES, ...SMS_CONDITION_TYPES].find(
      (conditionType) => conditionType === value,
    );
    if (type) onChange(type, '');
    const ownField = [...fields, ...events].find((field) => toOptionValue(field) === value);
    if (ownField) onChange(ownField.type, ownField.key);
  };
  return (
    <SearchableSelect
      ref={inputRef}
      aria-label={t('about')}
      placeholder={t('choose.type')}
      data={[
        ...families,
        ...family(t('families.fields'), fields),
        ...family(t('families.events'), events),
      ]}
      value={condition ? toOptionValue(condition) : null}
      allowDeselect={false}
      selectFirstOptionOnDropdownOpen={condition === undefined}
      maxDropdownHeight={320}
      comboboxProps={{ shadow: 'md', width: 280, position: 'bottom-start' }}
      onChange={choose}
    />
  );
}

/**
 * Returns the account's fields and events, including a deleted one that the condition refers to.
 */
function useOwnTypes(condition: Condition | undefined): {
  fields: TypeChoice[];
  events: TypeChoice[];
} {
  const t = useTexts('segments');
  const fieldsQuery = useQuery(queryAllFields());
  const eventsQuery = useQuery(queryAllEvents());
  const fields = (fieldsQuery.data?.data ?? []).map(
    ({ type, id, title }): TypeChoice => ({ type, key: id, label: title }),
  );
  const events = EVENT_CONDITION_TYPES.flatMap((type) =>
    (eventsQuery.data?.data ?? []).map(
      ({ id, name }): TypeChoice => ({ type, key: id, label: t(`types.${type}`, { name }) }),
    ),
  );
  if (condition?.key) {
    const isEvent = getKeyKind(condition.type) === 'event';
    const list = isEvent ? events : fields;
    const { type, key } = condition;
    const label = (isEvent ? eventsQuery : fieldsQuery).isPending ? '…' : t('gone');
    if (!list.some((choice) => choice.key === key)) list.push({ type, key, label });
  }
  return { fields, events };
}
