// Tabs of the library and of the configured sources of stock images.
import { SegmentedControl } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { type ReactNode, Suspense, useState } from 'react';
import { lazyWithRetry } from '#platform/web/shell/lazy-with-retry.ts';
import { useTexts } from '#platform/web/texts/texts.ts';
import { LoadingState } from '#platform/web/ui/states.tsx';
import { api } from '../queries.ts';
import type { LibraryImage } from './upload.ts';

const StockSearch = lazyWithRetry(() => import('./stock-search.tsx'));
const LIBRARY = 'library';

export interface ImageSourcesProps {
  library: ReactNode;
  onChoose: (image: LibraryImage) => void;
}

export function ImageSources({ library, onChoose }: ImageSourcesProps) {
  const t = useTexts('content');
  const [name, setName] = useState<string>(LIBRARY);
  const { data } = useQuery(api.query('GET /client-api/api/stock_sources'));
  const sources = data?.data ?? [];
  const source = sources.find((source) => source.name === name);
  return (
    <>
      {sources.length > 0 && (
        <SegmentedControl
          mb="md"
          aria-label={t('stock.sources')}
          value={name}
          onChange={setName}
          data={[
            { value: LIBRARY, label: t('images.library') },
            ...sources.map((source) => ({ value: source.name, label: source.name })),
          ]}
        />
      )}
      {source ? (
        <Suspense fallback={<LoadingState rows={4} />}>
          <StockSearch key={name} source={source} onChoose={onChoose} />
        </Suspense>
      ) : (
        library
      )}
    </>
  );
}
