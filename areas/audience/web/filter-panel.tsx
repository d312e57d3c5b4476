// The filter builder above the list. It writes the filter to the URL and loads and saves segments.
import { Button } from '@mantine/core';
import { useDebouncedCallback } from '@mantine/hooks';
import { useQuery } from '@tanstack/react-query';
import { Suspense } from 'react';
import {
  queryAllSegments,
  FilterBuilder,
  LivePreview,
  saveSegment,
} from '#areas/segments/web/index.ts';
import { showError } from '#platform/web/errors/errors.ts';
import { useTexts } from '#platform/web/texts/texts.ts';
import { SearchableSelect } from '#platform/web/ui/searchable-select.tsx';
import { LoadingState } from '#platform/web/ui/states.tsx';
import classes from './filters.module.css';

interface FilterPanelProps {
  filter: string;
  onChange: (filter: string, isWriting?: boolean) => void;
  close: () => void;
}

const PAUSE_MS = 300;

export default function FilterPanel({ filter, onChange, close }: FilterPanelProps) {
  const t = useTexts('audience');
  // The list updates after a pause in typing.
  const follow = useDebouncedCallback((next: string) => onChange(next, true), {
    delay: PAUSE_MS,
    flushOnUnmount: true,
  });
  const segments = useQuery(queryAllSegments()).data?.data ?? [];
  return (
    <section className={classes.panel} aria-labelledby="filter">
      <div className={classes.head}>
        <h2 className={classes.heading} id="filter">
          {t('filter.heading')}
        </h2>
        {segments.length > 0 && (
          <SearchableSelect
            className={classes.load ?? ''}
            size="xs"
            aria-label={t('filter.load')}
            placeholder={t('filter.load')}
            data={segments.map((segment) => ({ value: segment.id, label: segment.title }))}
            value={segments.find((segment) => segment.filter === filter)?.id ?? null}
            allowDeselect={false}
            onChange={(id) => {
              const segment = segments.find((segment) => segment.id === id);
              if (segment) onChange(segment.filter);
            }}
          />
        )}
      </div>
      <Suspense fallback={<LoadingState rows={2} />}>
        <FilterBuilder value={filter} onChange={follow} />
        <div className={classes.foot}>
          <div className={classes.count}>
            <LivePreview filter={filter} isBrief />
          </div>
          <Button
            variant="default"
            size="xs"
            disabled={filter === ''}
            onClick={() => void saveSegment(filter).catch(showError)}
          >
            {t('filter.save')}
          </Button>
          <Button variant="default" size="xs" disabled={filter === ''} onClick={() => onChange('')}>
            {t('filter.clear')}
          </Button>
          <Button size="xs" onClick={close}>
            {t('filter.done')}
          </Button>
        </div>
      </Suspense>
    </section>
  );
}
