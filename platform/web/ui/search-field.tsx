// The search box of a list: input goes to the address after a short pause.
import { CloseButton, TextInput } from '@mantine/core';
import { useDebouncedCallback } from '@mantine/hooks';
import { IconSearch } from '@tabler/icons-react';
import { useEffect, useRef, useState } from 'react';
import { useTexts } from '../texts/texts.ts';

export interface SearchFieldProps {
  value: string;
  onChange: (term: string) => void;
  /** "Find campaign by name" */
  label: string;
  className?: string | undefined;
}

export function SearchField({ value, onChange, label, className }: SearchFieldProps) {
  const t = useTexts('platform');
  const [typed, setTyped] = useState(value);
  const sentTexts = useRef<string[]>([]);
  const send = useDebouncedCallback((term: string) => {
    sentTexts.current.push(term);
    onChange(term);
  }, 250);
  useEffect(() => {
    // The typed text returns from the URL trimmed and late. It must not overwrite what the user has
    // typed in the meantime.
    const at = sentTexts.current.lastIndexOf(value);
    sentTexts.current = at === -1 ? [] : sentTexts.current.slice(at + 1);
    if (at === -1) setTyped(value);
  }, [value]);
  const type = (term: string) => {
    setTyped(term);
    send(term.trim());
  };
  return (
    <TextInput
      type="search"
      className={className ?? ''}
      value={typed}
      onChange={(event) => type(event.currentTarget.value)}
      placeholder={label}
      aria-label={label}
      leftSection={<IconSearch size={16} stroke={1.75} />}
      rightSection={
        typed !== '' && (
          <CloseButton size="sm" aria-label={t('table.clearSearch')} onClick={() => type('')} />
        )
      }
      w={{ base: '100%', xs: 280 }}
    />
  );
}
