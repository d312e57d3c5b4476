// The number of recipients, each subscriber once, and the reasons for exclusions.
import { Skeleton, Text } from '@mantine/core';
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { useFormats } from '#platform/web/texts/formats.ts';
import { useTexts } from '#platform/web/texts/texts.ts';
import { FailedState } from '#platform/web/ui/states.tsx';
import type { Recipients } from '../recipients-contract.ts';
import type { BroadcastUi } from './ui.ts';
import classes from './recipient-count.module.css';

/** `isWaiting`: a change is being saved; an earlier count would be outdated. */
export function useRecipients(ui: BroadcastUi, id: string, isWaiting = false) {
  return useQuery({
    ...ui.api.query('GET /client-api/api/campaigns/{id}/subscribers', { params: { id } }),
    enabled: !isWaiting,
    placeholderData: keepPreviousData,
  });
}

export function RecipientCount(props: { ui: BroadcastUi; id: string; isWaiting?: boolean }) {
  const { ui, id, isWaiting = false } = props;
  const recipients = useRecipients(ui, id, isWaiting);
  if (recipients.error) {
    return <FailedState error={recipients.error} retry={() => void recipients.refetch()} />;
  }
  if (!recipients.data) return <Skeleton height={64} />;
  const isStale = isWaiting || recipients.isFetching;
  return <CountedRecipients ui={ui} recipients={recipients.data.data} isStale={isStale} />;
}

/** A count, its total, and the excluded subscribers by reason. */
export function CountedRecipients(props: {
  ui: BroadcastUi;
  recipients: Recipients;
  isStale?: boolean;
}) {
  const { count, total, excluded } = props.recipients;
  const t = useTexts('broadcasts');
  const { number } = useFormats();
  return (
    <div className={classes.count} data-stale={props.isStale || undefined}>
      <Text className={classes.figure} aria-live="polite">
        {number(count)}
      </Text>
      <Text size="sm" c="dimmed">
        {t('recipients.of', { count: total, total: number(total) })}
      </Text>
      {excluded.length > 0 && (
        <dl className={classes.reasons}>
          {excluded.map(({ reason, count: some }) => (
            <div key={reason} className={classes.reason}>
              <dt>{t(`exclusions.${props.ui.channel}.${reason}`)}</dt>
              <dd>{number(some)}</dd>
            </div>
          ))}
        </dl>
      )}
    </div>
  );
}
