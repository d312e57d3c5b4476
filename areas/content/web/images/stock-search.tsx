// Search of stock photos or GIFs; a chosen one is added to the library.
import { Anchor, Button, Group, Text, TextInput } from '@mantine/core';
import { useDebouncedValue } from '@mantine/hooks';
import { IconPhotoSearch } from '@tabler/icons-react';
import { keepPreviousData, useInfiniteQuery } from '@tanstack/react-query';
import { useState } from 'react';
import type { ResponseOf } from '#platform/web/api/api.ts';
import { invalidate, useAction } from '#platform/web/api/queries.ts';
import { useTexts } from '#platform/web/texts/texts.ts';
import { EmptyState, FailedState, LoadingState } from '#platform/web/ui/states.tsx';
import type { calls } from '../../contract.ts';
import { api } from '../queries.ts';
import classes from './library.module.css';
import { IMAGES, type LibraryImage } from './upload.ts';

export type StockSource = ResponseOf<
  typeof calls,
  'GET /client-api/api/stock_sources'
>['data'][number];

const TYPING_MS = 400;

export default function StockSearch({
  source,
  onChoose,
}: {
  source: StockSource;
  onChoose: (image: LibraryImage) => void;
}) {
  const t = useTexts('content');
  const [term, setTerm] = useState('');
  const [search] = useDebouncedValue(term.trim(), TYPING_MS);
  const results = useStock(source.source, search);
  const addToLibrary = useAction(
    (id: string) =>
      api('POST /client-api/api/stock_images', { body: { source: source.source, id } }),
    {
      onDone: ({ data }) => {
        void invalidate(IMAGES);
        onChoose(data);
      },
    },
  );
  // Without this, an empty search field would show both the previous results and the prompt to
  // search.
  const images = search === '' ? undefined : results.data?.pages.flatMap(({ data }) => data.images);
  return (
    <>
      <SearchField source={source} term={term} type={setTerm} />
      {search === '' && (
        <EmptyState icon={IconPhotoSearch} title={t('stock.start')}>
          {t('stock.startText')}
        </EmptyState>
      )}
      {results.isLoadingError && <FailedState error={results.error} retry={results.refetch} />}
      {search !== '' && results.isLoading && <LoadingState rows={4} />}
      {images?.length === 0 && <Text c="dimmed">{t('stock.none')}</Text>}
      <StockGrid
        images={images ?? []}
        pendingId={addToLibrary.isPending ? addToLibrary.variables : undefined}
        onChoose={addToLibrary.mutate}
      />
      {results.isFetchNextPageError && !results.isFetchingNextPage && (
        <FailedState error={results.error} />
      )}
      {search !== '' && results.hasNextPage && (
        <Group justify="center" mt="md">
          <Button
            variant="default"
            loading={results.isFetchingNextPage}
            onClick={() => void results.fetchNextPage()}
          >
            {t('stock.more')}
          </Button>
        </Group>
      )}
    </>
  );
}

interface StockSearchFieldProps {
  source: StockSource;
  term: string;
  type: (term: string) => void;
}

/** The field, and the credit that the source requires. */
function SearchField({ source, term, type }: StockSearchFieldProps) {
  const t = useTexts('content');
  return (
    <Group gap="xs" mb="md">
      <TextInput
        flex={1}
        miw={160}
        maxLength={100}
        data-autofocus
        aria-label={t('stock.find', { name: source.name })}
        placeholder={t('stock.find', { name: source.name })}
        value={term}
        onChange={(event) => type(event.currentTarget.value)}
      />
      <Anchor href={source.website} target="_blank" rel="noreferrer" size="sm">
        {t('stock.by', { name: source.name })}
      </Anchor>
    </Group>
  );
}

type StockSearchImage = ResponseOf<
  typeof calls,
  'GET /client-api/api/stock_images'
>['data']['images'][number];

interface StockGridProps {
  images: readonly StockSearchImage[];
  /** The image that is being added to the library. */
  pendingId: string | undefined;
  onChoose: (id: string) => void;
}

function StockGrid({ images, pendingId, onChoose }: StockGridProps) {
  return (
    <ul className={classes.grid}>
      {images.map(({ id, title, preview_url, author }) => (
        <li key={id}>
          <button
            type="button"
            className={classes.image}
            aria-busy={pendingId === id}
            disabled={pendingId !== undefined}
            title={title}
            onClick={() => onChoose(id)}
          >
            <img src={preview_url} alt={title} loading="lazy" referrerPolicy="no-referrer" />
            <span dir="auto">{author || title}</span>
          </button>
        </li>
      ))}
    </ul>
  );
}

function useStock(source: StockSource['source'], search: string) {
  return useInfiniteQuery({
    queryKey: ['stock images', source, search],
    queryFn: ({ pageParam }) =>
      api('GET /client-api/api/stock_images', { query: { source, search, page: pageParam } }),
    initialPageParam: 1,
    getNextPageParam: ({ data }, pages) => (data.has_more ? pages.length + 1 : undefined),
    enabled: search !== '',
    placeholderData: keepPreviousData,
    staleTime: 300_000,
  });
}
