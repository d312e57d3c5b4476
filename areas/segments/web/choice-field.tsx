// Selects several groups, campaigns, stores or products, which are searched by title.
import { useDebouncedValue } from '@mantine/hooks';
import { useState } from 'react';
import { createGroup } from '#areas/groups/web/index.ts';
import { useTexts } from '#platform/web/texts/texts.ts';
import { SearchableMultiSelect } from '#platform/web/ui/searchable-select.tsx';
import { type ChoiceKind, useChoices } from './choices.ts';

interface ChoiceFieldProps {
  kind: ChoiceKind;
  label: string;
  values: string[];
  /** Known titles of the selected items. */
  titles: ReadonlyMap<string, string>;
  onChange: (values: string[]) => void;
}

export function ChoiceField({ kind, label, values, titles, onChange }: ChoiceFieldProps) {
  const t = useTexts('segments');
  const [term, setTerm] = useState('');
  const [search] = useDebouncedValue(term.trim(), 250);
  const isSearched = kind !== 'groups' && kind !== 'stores';
  const { choices, isLoading } = useChoices(kind, isSearched ? search : '');
  const [knownTitles, setKnown] = useState<ReadonlyMap<string, string>>(new Map());
  const listedValues = new Set(choices.map((choice) => choice.value));
  const missing = values
    .filter((value) => !listedValues.has(value))
    .map((value) => ({
      value,
      label: knownTitles.get(value) ?? titles.get(value) ?? (isLoading ? '…' : t('gone')),
    }));
  const isEmpty = !isLoading && choices.length === 0 && search === '' && values.length === 0;
  return (
    <SearchableMultiSelect
      aria-label={label}
      placeholder={values.length > 0 ? undefined : t(isEmpty ? `none.${kind}` : `choose.${kind}`)}
      data={[...choices, ...missing]}
      onCreate={kind === 'groups' ? createGroup : undefined}
      value={values}
      searchValue={term}
      onSearchChange={setTerm}
      // The first option is highlighted again once the choices for the typed text have loaded.
      selectFirstOptionOnChange={!isLoading && (!isSearched || search === term.trim())}
      selectFirstOptionOnDropdownOpen
      maxValues={100}
      onChange={(next) => {
        const selectedChoices = choices.filter((choice) => next.includes(choice.value));
        setKnown(
          new Map([
            ...knownTitles,
            ...selectedChoices.map((choice) => [choice.value, choice.label] as const),
          ]),
        );
        onChange(next);
      }}
    />
  );
}
