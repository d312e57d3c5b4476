// Recipient of the preview: a real subscriber, found by a prefix of the email address. Users who
// may not see subscribers get the preview with sample values, and no choice.
import { useDebouncedValue } from '@mantine/hooks';
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { toUnicodeDomain } from '#platform/domain-display.ts';
import { useRights } from '#platform/web/session/rights.ts';
import { useTexts } from '#platform/web/texts/texts.ts';
import { SearchableSelect } from '#platform/web/ui/searchable-select.tsx';
import { api, resolveCall, type EmailRef } from './composing.ts';

export interface SubscriberSelectProps {
  email: EmailRef;
  value: string | null;
  onChange: (id: string | null) => void;
}

export function SubscriberSelect(props: SubscriberSelectProps) {
  return useRights().has('people') ? <SubscriberSearch {...props} /> : null;
}

function SubscriberSearch({ email, value, onChange }: SubscriberSelectProps) {
  const t = useTexts('composing');
  const [term, setTerm] = useState('');
  const [search] = useDebouncedValue(term, 200);
  const subscribers = useQuery({
    ...api.query(resolveCall(email, 'GET /{base}/{id}/preview_people'), {
      params: { id: email.id },
      query: search.trim() === '' ? {} : { search: search.trim() },
    }),
    placeholderData: keepPreviousData,
    meta: { notFound: 'inline' },
  });
  const data = (subscribers.data?.data ?? []).map((subscriber) => ({
    value: subscriber.id,
    label: [subscriber.name, toUnicodeDomain(subscriber.email)].filter(Boolean).join(' · '),
  }));
  return (
    <SearchableSelect
      size="xs"
      w={{ base: '100%', xs: 260 }}
      aria-label={t('preview.as')}
      placeholder={t('preview.as')}
      clearable
      value={value}
      onChange={onChange}
      data={data}
      filter={({ options }) => options}
      onSearchChange={(typed) => setTerm(data.some((row) => row.label === typed) ? '' : typed)}
    />
  );
}
