// Selects that search as one types, with the specified words for nothing found and for enough chosen.
import { MultiSelect, type MultiSelectProps, Select, type SelectProps } from '@mantine/core';
import { useTexts } from '../texts.ts';
import classes from './searchable-select.module.css';

/** "Nothing found" stands in a listbox, which may hold options only. */
const emptyOption = { role: 'option', 'aria-disabled': true, 'aria-selected': false };

/** One of many: countries, time zones, groups. */
export function SearchableSelect(props: SelectProps) {
  const t = useTexts('platform');
  return (
    <Select
      searchable
      limit={100}
      nothingFoundMessage={t('selects.nothingFound')}
      comboboxProps={{ shadow: 'md' }}
      withScrollArea={false}
      classNames={{ options: classes.options }}
      clearButtonProps={{ 'aria-label': t('selects.clear') }}
      attributes={{ empty: emptyOption }}
      {...props}
    />
  );
}

/** Several of many; with `maxValues` reached it says what to do before choosing another. */
export function SearchableMultiSelect(props: MultiSelectProps) {
  const t = useTexts('platform');
  const chosen = props.value?.length ?? 0;
  const isFull = props.maxValues !== undefined && chosen >= props.maxValues;
  return (
    <MultiSelect
      searchable
      hidePickedOptions
      limit={100}
      nothingFoundMessage={t(isFull ? 'selects.full' : 'selects.nothingFound')}
      comboboxProps={{ shadow: 'md' }}
      withScrollArea={false}
      classNames={{ options: classes.options }}
      clearButtonProps={{ 'aria-label': t('selects.clear') }}
      attributes={{ empty: emptyOption }}
      {...props}
      {...(isFull ? { filter: () => [] } : {})}
    />
  );
}
