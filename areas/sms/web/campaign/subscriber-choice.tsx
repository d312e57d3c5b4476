// Chooses the subscriber of the preview, found by the beginning of a name or number. Users who may
// not see subscribers get a preview with sample values and no choice.
import { useDebouncedValue } from '@mantine/hooks';
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { useRights } from '#platform/web/session/rights.ts';
import { useTexts } from '#platform/web/texts/texts.ts';
import { SearchableSelect } from '#platform/web/ui/searchable-select.tsx';
import { lookups } from '../queries.ts';

interface SubscriberChoiceProps {
  value: string | null;
  onChange: (id: string | null) => void;
}

export function SubscriberChoice(props: SubscriberChoiceProps) {
  return useRights().has('people') ? <SubscriberSearch {...props} /> : null;
}

function SubscriberSearch({ value, onChange }: SubscriberChoiceProps) {
  const t = useTexts('sms');
  const [term, setTerm] = useState('');
  const [search] = useDebouncedValue(term, 200);
  const subscribers = useQuery({
    ...lookups.query('GET /client-api/api/sms/people', {
      query: search.trim() === '' ? {} : { search: search.trim() },
    }),
    placeholderData: keepPreviousData,
  });
  const data = (subscribers.data?.data ?? []).map(({ id, name, phone }) => ({
    value: id,
    label: name ? `${name} · ${phone}` : phone,
  }));
  return (
    <SearchableSelect
      size="xs"
      aria-label={t('preview.as')}
      placeholder={t('preview.as')}
      clearable
      value={value}
      onChange={onChange}
      data={data}
      filter={({ options }) => options}
      onSearchChange={(input) => setTerm(data.some((row) => row.label === input) ? '' : input)}
    />
  );
}
