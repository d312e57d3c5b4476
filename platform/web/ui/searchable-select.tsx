// Selects with search. All entries are listed with the chosen one in view, typing replaces the
// chosen text, and Enter selects the first match. Focus alone does not open the list: it would
// cover the field's error and the next field.
import {
  type ComboboxData,
  type ComboboxItem,
  type ComboboxParsedItem,
  type ComboboxParsedItemGroup,
  isOptionsGroup,
  MultiSelect,
  type MultiSelectProps,
  type OptionsFilter,
  Select,
  type SelectProps,
} from '@mantine/core';
import { type FocusEvent, type KeyboardEvent, type MouseEvent, useState } from 'react';
import { useTexts } from '../texts/texts.ts';
import { selectMarked } from '../theme/enter-selects.ts';
import classes from './searchable-select.module.css';

/** "Nothing found" is rendered in a listbox, which may contain options only. */
const emptyOption = { role: 'option', 'aria-disabled': true, 'aria-selected': false };

const LIST = {
  searchable: true,
  openOnFocus: false,
  withScrollArea: false,
  classNames: { options: classes.options },
  attributes: { empty: emptyOption },
} satisfies SelectProps & MultiSelectProps;

/**
 * Marks the first option only after typing. The library marks it as soon as a field is mounted and
 * scrolls to it, which computes the page layout once per field.
 */
function useFirstOption({ selectFirstOptionOnChange = true }: FirstOptionProps) {
  const [isTyped, setTyped] = useState(false);
  return {
    selectFirstOptionOnChange: isTyped && selectFirstOptionOnChange,
    onInput: () => setTyped(true),
  };
}

type FirstOptionProps = Pick<SelectProps, 'selectFirstOptionOnChange'>;

/** The list opens above a field with an error, because a list below would cover the error. */
const positionOf = ({ error, comboboxProps }: Pick<SelectProps, 'error' | 'comboboxProps'>) => ({
  comboboxProps: {
    shadow: 'md',
    ...(error ? { position: 'top-start' as const } : {}),
    ...comboboxProps,
  },
});

/** An option that can also be found by words that are not in its label. */
export interface SearchableOption extends ComboboxItem {
  keywords?: string;
}

interface Creatable {
  /** Offers to create what the search does not find; resolves to the value of the new option. */
  onCreate?: ((text: string) => Promise<string | undefined>) | undefined;
}

type SearchableSelectProps = SelectProps & Creatable;
type SearchableMultiSelectProps = MultiSelectProps & Creatable;

/** The value of the option that creates a new option; never a stored value. */
const CREATE = '\u0000create';

/** Adds an option that creates the typed text, unless it is already the label of an option. */
function useCreatable(data: SelectProps['data'], { onCreate }: Creatable) {
  const t = useTexts('platform');
  const [search, setSearch] = useState('');
  const [created, setCreated] = useState<ComboboxItem[]>([]);
  const text = search.trim();
  const items = (data ?? []) as ComboboxItem[];
  const allItems = [
    ...items,
    // Created options, until the data contains them.
    ...created.filter(({ value }) => !items.some((item) => item.value === value)),
  ];
  const isNew =
    text !== '' && !allItems.some(({ label }) => normalize(label ?? '') === normalize(text));
  const option: ComboboxItem = { value: CREATE, label: t('selects.create', { text }) };
  const create = async (): Promise<string | undefined> => {
    const value = await onCreate?.(text);
    if (value !== undefined) setCreated((before) => [...before, { value, label: text }]);
    return value;
  };
  const options = onCreate ? (isNew ? [...allItems, option] : allItems) : data;
  return { setSearch, options: options as ComboboxData, create };
}

/** Selects one value, such as a country, time zone or group. */
export function SearchableSelect({
  onFocus,
  onClick,
  onKeyDownCapture,
  onCreate,
  ...props
}: SearchableSelectProps) {
  const t = useTexts('platform');
  const { options, create, setSearch } = useCreatable(props.data, { onCreate });
  const firstOption = useFirstOption(props);
  return (
    <Select
      {...LIST}
      filter={matchingOptions}
      nothingFoundMessage={t('selects.nothingFound')}
      clearButtonProps={{ 'aria-label': t('selects.clear') }}
      {...props}
      {...firstOption}
      {...positionOf(props)}
      data={options}
      onSearchChange={(search) => {
        setSearch(search);
        props.onSearchChange?.(search);
      }}
      onChange={(value, option) => {
        if (value !== CREATE) return props.onChange?.(value, option);
        void create().then((created) => {
          if (created !== undefined)
            props.onChange?.(created, { value: created, label: created, disabled: false });
        });
      }}
      onFocus={(event: FocusEvent<HTMLInputElement>) => {
        event.currentTarget.select();
        onFocus?.(event);
      }}
      onClick={(event: MouseEvent<HTMLInputElement>) => {
        // The click that focused the field has moved the caret into the selected text.
        if (event.currentTarget.ariaExpanded !== 'true') event.currentTarget.select();
        onClick?.(event);
      }}
      onKeyDownCapture={(event: KeyboardEvent<HTMLInputElement>) => {
        selectFirstMatch(event);
        onKeyDownCapture?.(event);
      }}
    />
  );
}

/**
 * Selects several values. Once `maxValues` are chosen, the list explains how to choose a different
 * one.
 */
export function SearchableMultiSelect({
  onKeyDownCapture,
  onCreate,
  ...props
}: SearchableMultiSelectProps) {
  const t = useTexts('platform');
  const { options, create, setSearch } = useCreatable(props.data, { onCreate });
  const firstOption = useFirstOption(props);
  const chosenCount = props.value?.length ?? 0;
  const isFull = props.maxValues !== undefined && chosenCount >= props.maxValues;
  return (
    <MultiSelect
      {...LIST}
      hidePickedOptions
      filter={matchingOptions}
      nothingFoundMessage={t(isFull ? 'selects.full' : 'selects.nothingFound')}
      clearButtonProps={{ 'aria-label': t('selects.clear') }}
      {...props}
      {...firstOption}
      {...positionOf(props)}
      {...(isFull ? { filter: () => [] } : {})}
      data={options}
      onSearchChange={(search) => {
        setSearch(search);
        props.onSearchChange?.(search);
      }}
      onChange={(values) => {
        const chosenValues = values.filter((value) => value !== CREATE);
        if (chosenValues.length === values.length) return props.onChange?.(values);
        void create().then((created) => {
          if (created !== undefined) props.onChange?.([...chosenValues, created]);
        });
      }}
      onKeyDownCapture={(event: KeyboardEvent<HTMLInputElement>) => {
        selectFirstMatch(event);
        onKeyDownCapture?.(event);
      }}
    />
  );
}

/**
 * Selects the highlighted option, or else the first match: options found by the server arrive too
 * late for the library to highlight one.
 */
function selectFirstMatch(event: KeyboardEvent<HTMLInputElement>): void {
  selectMarked(event);
  const field = event.currentTarget;
  if (event.key !== 'Enter' || event.nativeEvent.isComposing || event.defaultPrevented) return;
  const id = field.getAttribute('aria-controls');
  const list = id === null ? null : document.getElementById(id);
  if (!list || field.value.trim() === '' || list.querySelector('[data-combobox-active]')) return;
  const first = list.querySelector<HTMLElement>(
    '[data-combobox-option]:not([data-combobox-disabled])',
  );
  if (!first) return;
  event.preventDefault();
  event.stopPropagation();
  first.click();
}

/** Removes case and accents: "kone" finds "København", "sao" finds "São Tomé". */
const normalize = (text: string): string =>
  text
    .normalize('NFKD')
    .replace(/\p{M}/gu, '')
    .toLowerCase()
    .replace(/ø/g, 'o')
    .replace(/ł/g, 'l')
    .replace(/ß/g, 'ss')
    .trim();

/**
 * Labels that begin with the typed text come first, then labels with a later word that begins with
 * it, labels that contain it, and options whose keywords contain it.
 */
const matchingOptions: OptionsFilter = ({ options, search, limit }) => {
  const normalizedSearch = normalize(search);
  if (normalizedSearch === '') return options.slice(0, limit);
  const rankItems = (items: readonly ComboboxItem[]) =>
    items
      .map((item) => ({ item, rank: rankOf(item, normalizedSearch) }))
      .filter(({ rank }) => rank < NO_MATCH)
      .sort((a, b) => a.rank - b.rank)
      .map(({ item }) => item);
  const groups = (options.filter(isOptionsGroup) as ComboboxParsedItemGroup[]).map(
    ({ group, items }) => ({
      group,
      items: rankItems(items as ComboboxItem[]),
    }),
  );
  const single = rankItems(options.filter((item) => !isOptionsGroup(item)) as ComboboxItem[]);
  const matches = [...single, ...groups.filter(({ items }) => items.length > 0)];
  return matches.slice(0, limit) as ComboboxParsedItem[];
};

const NO_MATCH = 4;

function rankOf(item: SearchableOption, text: string): number {
  const label = normalize(item.label);
  if (label.startsWith(text)) return 0;
  if (` ${label.replace(/[^\p{L}\p{N}]/gu, ' ')}`.includes(` ${text}`)) return 1;
  if (label.includes(text)) return 2;
  return item.keywords && normalize(item.keywords).includes(text) ? 3 : NO_MATCH;
}
