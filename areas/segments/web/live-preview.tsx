// Describes the edited segment in a sentence, and shows its count and a few matching subscribers.
import { Anchor, Skeleton, Text } from '@mantine/core';
import { useDebouncedValue } from '@mantine/hooks';
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { toUnicodeDomain } from '#platform/domain-display.ts';
import { ApiError, fieldMessages } from '#platform/web/api-error.ts';
import { useFormats } from '#platform/web/texts/formats.ts';
import { useTexts } from '#platform/web/texts/texts.ts';
import { FailedState } from '#platform/web/ui/states.tsx';
import type { Preview } from '../contract.ts';
import classes from './live-preview.module.css';
import { api, LIST_PATH } from './queries.ts';

const PAUSE_MS = 350;

/** Requests the preview after a pause in typing; outdated requests are aborted. */
function usePreview(filter: string, pause: number) {
  const [conditions] = useDebouncedValue(filter, pause);
  const preview = useQuery({
    queryKey: [...LIST_PATH.split('/').filter(Boolean), 'preview', conditions],
    queryFn: ({ signal }) =>
      api('POST /client-api/api/filters/preview', { body: { conditions }, signal }),
    enabled: conditions !== '',
    placeholderData: keepPreviousData,
    meta: { notFound: 'inline' },
    retry: false,
  });
  return { preview, isStale: conditions !== filter || preview.isFetching };
}

/**
 * @param isBrief for use above the list of subscribers: shows no sample and requests the preview
 * without a pause
 */
export default function LivePreview({
  filter,
  isBrief = false,
}: {
  filter: string;
  isBrief?: boolean;
}) {
  const t = useTexts('segments');
  const { preview, isStale } = usePreview(filter, isBrief ? 0 : PAUSE_MS);
  if (filter === '') {
    return (
      <Text size="sm" c="dimmed">
        {t('preview.nothing')}
      </Text>
    );
  }
  if (preview.error && !isStale && (isBrief || isRefused(preview.error))) {
    return (
      <Text size="sm" c="danger" role="alert">
        {getErrorMessage(preview.error)}
      </Text>
    );
  }
  if (preview.isLoadingError && !isStale) {
    return <FailedState error={preview.error} retry={() => void preview.refetch()} />;
  }
  const data = preview.data?.data;
  if (!data) return <Skeleton height={isBrief ? 24 : 96} />;
  return (
    <div className={classes.preview} data-stale={isStale || undefined}>
      <div className={isBrief ? classes.brief : classes.summary}>
        <Figure data={data} />
        <p className={classes.sentence}>{data.sentence}</p>
      </div>
      {!isBrief && <SampleSubscribers subscribers={data.sample} total={data.subscribers} />}
    </div>
  );
}

/** Returns whether the server refuses the conditions, so that a retry does not help. */
const isRefused = (error: Error) => error instanceof ApiError && error.status === 422;

const getErrorMessage = (error: Error) => fieldMessages(error) || error.message;

function Figure({ data }: { data: Preview }) {
  const t = useTexts('segments');
  const { number } = useFormats();
  return (
    <div className={classes.figures}>
      <span className={classes.figure} role="status">
        {t('preview.count', { count: data.subscribers })}
      </span>
      <span className={classes.parts}>
        {t('preview.parts', {
          active: number(data.active_subscribers),
          phones: number(data.phone_count),
        })}
      </span>
    </div>
  );
}

function SampleSubscribers({
  subscribers,
  total,
}: {
  subscribers: Preview['sample'];
  total: number;
}) {
  const t = useTexts('segments');
  if (subscribers.length === 0) {
    return (
      <Text size="sm" c="dimmed">
        {t('preview.noSubscribers')}
      </Text>
    );
  }
  return (
    <div>
      <h3 className={classes.heading}>
        {t(subscribers.length < total ? 'preview.newest' : 'preview.everybody')}
      </h3>
      <ul className={classes.people}>
        {subscribers.map((subscriber) => (
          <li key={subscriber.id}>
            <Anchor component={Link} to={`/subscribers/${subscriber.id}/view`} fz="sm">
              <bdi>{toUnicodeDomain(subscriber.email ?? subscriber.phone ?? subscriber.id)}</bdi>
            </Anchor>
            <span className={classes.name}>
              <bdi>{[subscriber.firstname, subscriber.lastname].filter(Boolean).join(' ')}</bdi>
            </span>
          </li>
        ))}
      </ul>
    </div>
  );
}
