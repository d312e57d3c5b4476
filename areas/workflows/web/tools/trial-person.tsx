// The field that selects the subscriber of a dry run by a prefix of the email address.
import { useDebouncedValue } from '@mantine/hooks';
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { toUnicodeDomain } from '#platform/domain-display.ts';
import { useTexts } from '#platform/web/texts/texts.ts';
import { SearchableSelect } from '#platform/web/ui/searchable-select.tsx';
import { api } from '../queries.ts';
import { useBuilder } from '../use-builder.ts';

const PAUSE_MS = 200;

export function TrialSubscriber({
  value,
  onChange,
}: {
  value: string | null;
  onChange: (id: string | null) => void;
}) {
  const t = useTexts('workflows');
  const { workflow } = useBuilder();
  const [term, setTerm] = useState('');
  const [typed] = useDebouncedValue(term, PAUSE_MS);
  const search = typed.trim();
  const subscribersQuery = useQuery({
    ...api.query('GET /client-api/api/workflows/{id}/trial_people', {
      params: { id: workflow.id },
      query: search === '' ? {} : { search },
    }),
    placeholderData: keepPreviousData,
  });
  const data = (subscribersQuery.data?.data ?? []).map(({ id, email, name }) => ({
    value: id,
    label: [name, toUnicodeDomain(email)].filter(Boolean).join(' · '),
  }));
  return (
    <SearchableSelect
      label={t('trial.subscriber')}
      placeholder={t('trial.find')}
      value={value}
      onChange={onChange}
      data={data}
      filter={({ options }) => options}
      onSearchChange={(next) => setTerm(data.some((row) => row.label === next) ? '' : next)}
    />
  );
}
