// A text field that suggests values as the user types, such as addresses or products. Suggestions
// are requested after a pause in typing. Earlier ones remain until new ones arrive or the input is
// too short.
import { Combobox, Loader, TextInput, type TextInputProps, useCombobox } from '@mantine/core';
import { useDebouncedCallback } from '@mantine/hooks';
import { type ReactNode, useEffect, useId, useRef, useState } from 'react';
import { useTexts } from '../texts/texts.ts';

export interface Suggestion {
  id: string;
  /**
   * Written into the field when the suggestion is chosen. Also shown in the list, unless there is a
   * `label`.
   */
  value: string;
  label?: ReactNode;
}

export interface SuggestFieldProps<Item extends Suggestion>
  extends Omit<TextInputProps, 'value' | 'onChange'> {
  value: string;
  onChange: (value: string) => void;
  suggest: (term: string, signal: AbortSignal) => Promise<Item[]>;
  onPick: (item: Item) => void;
  /** Milliseconds without input before suggestions are requested; 150 by default. */
  debounceMs?: number;
  /** Minimum length of the trimmed input for a request; 3 by default. */
  minLength?: number;
  /** Shown for an empty list; "No addresses found" by default. */
  emptyText?: string;
}

export function SuggestField<Item extends Suggestion>(props: SuggestFieldProps<Item>) {
  const {
    value,
    onChange,
    suggest,
    onPick,
    debounceMs = 150,
    minLength: min = 3,
    emptyText,
    ...field
  } = props;
  const t = useTexts('platform');
  const labelId = useId();
  const combobox = useCombobox({ onDropdownClose: () => combobox.resetSelectedOption() });
  const input = useRef<HTMLInputElement>(null);
  const suggestions = useSuggestions(suggest, debounceMs, () => {
    // Suggestions that arrive after the focus has left the field would cover the error below it.
    if (document.activeElement === input.current) combobox.openDropdown();
  });
  const { items } = suggestions;
  const type = (term: string) => {
    onChange(term);
    if (term.trim().length >= min) return suggestions.load(term.trim());
    suggestions.drop();
  };
  const pick = (id: string) => {
    suggestions.cancel();
    const item = items?.find((item) => item.id === id);
    if (item) {
      onChange(item.value);
      onPick(item);
    }
    combobox.closeDropdown();
  };
  return (
    <Combobox store={combobox} onOptionSubmit={pick} shadow="md">
      <Combobox.Target>
        <TextInput
          {...field}
          ref={input}
          labelProps={{ id: labelId }}
          autoComplete="off"
          value={value}
          onChange={(event) => type(event.currentTarget.value)}
          onFocus={() => items && !field.error && combobox.openDropdown()}
          onBlur={(event) => {
            combobox.closeDropdown();
            field.onBlur?.(event);
          }}
          rightSection={
            suggestions.isLoading && (
              <Loader size={16} role="status" aria-label={t('states.loading')} />
            )
          }
        />
      </Combobox.Target>
      <Dropdown items={items} labelId={labelId} emptyText={emptyText} />
    </Combobox>
  );
}

interface DropdownProps {
  items: readonly Suggestion[] | undefined;
  labelId: string;
  emptyText: string | undefined;
}

function Dropdown({ items, labelId, emptyText }: DropdownProps) {
  const t = useTexts('platform');
  return (
    <Combobox.Dropdown hidden={items === undefined}>
      <Combobox.Options labelledBy={labelId}>
        {items?.map((item) => (
          <Combobox.Option key={item.id} value={item.id}>
            {item.label ?? item.value}
          </Combobox.Option>
        ))}
        {items?.length === 0 && (
          <Combobox.Empty role="option" aria-disabled aria-selected={false}>
            {emptyText ?? t('selects.noAddresses')}
          </Combobox.Empty>
        )}
      </Combobox.Options>
    </Combobox.Dropdown>
  );
}

/** Loads suggestions. A new request aborts the previous one, and any late response is ignored. */
function useSuggestions<Item extends Suggestion>(
  suggest: SuggestFieldProps<Item>['suggest'],
  debounce: number,
  onLoaded: () => void,
) {
  const [items, setItems] = useState<Item[]>();
  const [isLoading, setLoading] = useState(false);
  const activeRequest = useRef<AbortController>(undefined);
  useEffect(() => () => activeRequest.current?.abort(), []);
  const load = useDebouncedCallback(async (term: string) => {
    activeRequest.current?.abort();
    const request = new AbortController();
    activeRequest.current = request;
    setLoading(true);
    try {
      const suggestions = await suggest(term, request.signal);
      if (request.signal.aborted) return;
      setItems(suggestions);
      onLoaded();
    } catch {
      // A field without suggestions is still usable.
      if (!request.signal.aborted) setItems(undefined);
    } finally {
      if (activeRequest.current === request) setLoading(false);
    }
  }, debounce);
  /** Cancels the request that waits for a pause in typing and aborts the running one. */
  const cancel = () => {
    load.cancel();
    activeRequest.current?.abort();
  };
  const drop = () => {
    cancel();
    setItems(undefined);
  };
  return { items, isLoading, load, cancel, drop };
}
