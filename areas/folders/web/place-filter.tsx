// The button that shows the folder, label or archive that limits a list. The choices load on first
// use.
import { Button } from '@mantine/core';
import { IconFolder } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { Suspense, useState } from 'react';
import { lazyWithRetry } from '#platform/web/shell/lazy-with-retry.ts';
import { useTexts } from '#platform/web/texts/texts.ts';
import { Sheet } from '#platform/web/ui/sheet.tsx';
import type { ItemKind } from '../shared.ts';
import type { PlacedList } from './placement-parameters.ts';
import { listLabelsQuery, listFoldersQuery } from './queries.ts';

const PlaceList = lazyWithRetry(() => import('./place-list.tsx'));

export interface PlaceFilterProps {
  kind: ItemKind;
  list: PlacedList;
}

export function PlaceFilter({ kind, list }: PlaceFilterProps) {
  const t = useTexts('folders');
  const [isOpen, setOpen] = useState(false);
  const filterLabel = useFilterLabel(kind, list);
  return (
    <Sheet
      isOpen={isOpen}
      onChange={setOpen}
      label={t('title')}
      width={280}
      target={
        <Button
          variant="default"
          size="xs"
          leftSection={<IconFolder size={16} stroke={1.75} />}
          aria-label={`${t('title')}: ${filterLabel}`}
        >
          <bdi>{filterLabel}</bdi>
        </Button>
      }
    >
      <Suspense>
        <PlaceList kind={kind} list={list} close={() => setOpen(false)} />
      </Suspense>
    </Sheet>
  );
}

/** Describes the list's filter. Folders and labels load only if the URL names one. */
function useFilterLabel(
  kind: ItemKind,
  { values: { folder, label, archived } }: PlacedList,
): string {
  const t = useTexts('folders');
  const folders = useQuery({ ...listFoldersQuery(kind), enabled: folder !== '' }).data?.data;
  const labels = useQuery({ ...listLabelsQuery(), enabled: label !== '' }).data?.data;
  const titles = [
    folder === '' ? '' : folders?.find(({ id }) => id === folder)?.title,
    label === '' ? '' : labels?.find(({ id }) => id === label)?.title,
    archived ? t('archive') : '',
  ].filter(Boolean);
  return titles.length > 0 ? titles.join(' · ') : t('all');
}
