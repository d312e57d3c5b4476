// The button of saved views; its list loads on first use.
import { Button } from '@mantine/core';
import { IconBookmark } from '@tabler/icons-react';
import { Suspense, useState } from 'react';
import { lazyWithRetry } from '#platform/web/shell/lazy-with-retry.ts';
import { useTexts } from '#platform/web/texts/texts.ts';
import { LateSheet } from '#platform/web/ui/late-sheet.tsx';

const ViewList = lazyWithRetry(() => import('./view-list.tsx'));

/** The part of the list's URL that a view stores. */
export interface ViewedList {
  values: { filter: string; order: string; direction: 'asc' | 'desc' };
  set: (change: { filter: string; order: string; direction: 'asc' | 'desc' }) => void;
}

export interface ViewsProps {
  list: ViewedList;
  columns: string[];
  setColumns: (columns: string[]) => void;
}

export function Views(props: ViewsProps) {
  const t = useTexts('audience');
  const [isOpen, setOpen] = useState(false);
  return (
    <LateSheet
      isOpen={isOpen}
      onChange={setOpen}
      label={t('views.title')}
      width={280}
      target={
        <Button variant="default" leftSection={<IconBookmark size={18} stroke={1.75} />}>
          {t('views.title')}
        </Button>
      }
    >
      <Suspense>
        <ViewList {...props} close={() => setOpen(false)} />
      </Suspense>
    </LateSheet>
  );
}
