// The filters above the list: two quick filters, the builder when it is open, and the conditions as
// chips.
import { Alert, Anchor, Button } from '@mantine/core';
import { IconFilter } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { type ReactNode, Suspense } from 'react';
import { queryAllGroups } from '#areas/groups/web/index.ts';
import { parseFilter, writeFilter } from '#areas/segments/filter-grammar.ts';
import { FilterChips } from '#areas/segments/web/index.ts';
import { STATUSES } from '#areas/subscribers/shared.ts';
import { lazyWithRetry } from '#platform/web/shell/lazy-with-retry.ts';
import { useTexts } from '#platform/web/texts/texts.ts';
import { LateSelect } from '#platform/web/ui/late-select.tsx';
import { type QuickFilter, readQuickFilter, writeQuickFilter } from './quick-filter.ts';
import classes from './filters.module.css';

const FilterPanel = lazyWithRetry(() => import('./filter-panel.tsx'));

interface FiltersProps {
  /** The filter text of the URL. */
  filter: string;
  /** Sets the filter; with `isWriting`, without a new history entry. */
  onChange: (filter: string, isWriting?: boolean) => void;
  /** Whether the builder is open. */
  isOpen: boolean;
  setOpen: (isOpen: boolean) => void;
  /** Content at the end of the row. */
  trailing: ReactNode;
}

export function Filters({ filter, onChange, isOpen, setOpen, trailing }: FiltersProps) {
  const t = useTexts('audience');
  const quickFilter = readQuickFilter(filter);
  const { conditions, droppedCount } = parseFilter(filter);
  const readable = droppedCount > 0 ? writeFilter(conditions) : filter;
  return (
    <>
      <QuickFilters filter={quickFilter} onChange={(next) => onChange(writeQuickFilter(next))} />
      <Button
        variant="default"
        leftSection={<IconFilter size={18} stroke={1.75} />}
        aria-expanded={isOpen}
        onClick={() => setOpen(!isOpen)}
      >
        {conditions.length > 0 ? t('filter.some', { count: conditions.length }) : t('filter.title')}
      </Button>
      {trailing}
      {droppedCount > 0 && (
        <Alert color="warning" p="xs" className={classes.whole ?? ''} role="status">
          {t('filter.dropped', { count: droppedCount })}{' '}
          <Anchor component="button" type="button" fz="sm" onClick={() => onChange(readable)}>
            {t('filter.dropThem')}
          </Anchor>
        </Alert>
      )}
      {isOpen && (
        <Suspense>
          <FilterPanel filter={readable} onChange={onChange} close={() => setOpen(false)} />
        </Suspense>
      )}
      {!isOpen && quickFilter.others.length > 0 && (
        <div className={classes.whole}>
          <Suspense>
            <FilterChips
              filter={writeFilter(quickFilter.others)}
              onChange={(otherConditions) =>
                onChange(
                  writeQuickFilter({
                    ...quickFilter,
                    others: parseFilter(otherConditions).conditions,
                  }),
                )
              }
            />
          </Suspense>
          <Button variant="subtle" size="compact-sm" onClick={() => onChange('')}>
            {t('filter.clear')}
          </Button>
        </div>
      )}
    </>
  );
}

interface QuickFiltersProps {
  filter: QuickFilter;
  onChange: (next: QuickFilter) => void;
}

function QuickFilters({ filter, onChange }: QuickFiltersProps) {
  const t = useTexts('audience');
  const groups = useQuery(queryAllGroups()).data?.data ?? [];
  return (
    <>
      <LateSelect
        className={classes.quick ?? ''}
        aria-label={t('filter.status')}
        placeholder={t('filter.anyStatus')}
        clearable
        value={filter.status}
        onChange={(status) => onChange({ ...filter, status })}
        data={STATUSES.map((value) => ({ value, label: t(`statuses.${value}`) }))}
        clearButtonProps={{ 'aria-label': t('filter.anyStatus') }}
      />
      {groups.length > 0 && (
        <LateSelect
          isSearchable
          className={classes.quick ?? ''}
          aria-label={t('filter.group')}
          placeholder={t('filter.anyGroup')}
          clearable
          value={filter.group}
          onChange={(group) => onChange({ ...filter, group })}
          data={groups.map((group) => ({ value: group.id, label: group.title }))}
        />
      )}
    </>
  );
}
