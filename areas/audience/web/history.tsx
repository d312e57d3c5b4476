// A subscriber's history, newest first, filtered by kind, with infinite scrolling.
import { Anchor, Button, Chip } from '@mantine/core';
import { useIntersection } from '@mantine/hooks';
import {
  IconAlertOctagon,
  IconBolt,
  IconCircleCheck,
  IconClick,
  IconMailOff,
  IconMailOpened,
  IconMailX,
  IconMessageReply,
  IconSend,
} from '@tabler/icons-react';
import { useInfiniteQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { type ComponentType, useEffect, useState } from 'react';
import { campaignChoices, replaceTags } from '#areas/campaigns/web/index.ts';
import { DeliveryExplanationDialog, WhyDialog } from '#areas/delivery/web/index.ts';
import { text } from '#platform/web/api/address.ts';
import { useSearchParams } from '#platform/web/api/address.ts';
import { useFormats } from '#platform/web/texts/formats.ts';
import { useTexts } from '#platform/web/texts/texts.ts';
import { EmptyState, FailedState, LoadingState } from '#platform/web/ui/states.tsx';
import type { HistoryEvent } from '../contract.ts';
import { HISTORY_ACTIONS, type HistoryAction } from '../shared.ts';
import { api } from './queries.ts';
import classes from './subscriber-screen.module.css';

const address = { actions: text() };

const ICONS: Record<HistoryAction, ComponentType<{ size?: number; stroke?: number }>> = {
  sent: IconSend,
  got: IconCircleCheck,
  opened: IconMailOpened,
  clicked: IconClick,
  unsubscribed: IconMailOff,
  bounced: IconMailX,
  spam: IconAlertOctagon,
  replied: IconMessageReply,
  event: IconBolt,
};
/** Kinds of single messages, as opposed to campaigns. */
const SINGLE_KINDS: ReadonlySet<string> = new Set([
  'test',
  'letter',
  'transactional',
  'workflow',
  'confirmation',
  'sms_test',
  'sms_answer',
  'sms_workflow',
  'sms_transactional',
  'sms_confirmation',
]);
const NEGATIVE_ACTIONS: ReadonlySet<HistoryAction> = new Set(['bounced', 'spam', 'unsubscribed']);

export function History({ id }: { id: string }) {
  const t = useTexts('audience');
  const [values, set] = useSearchParams(address);
  const selectedActions = values.actions
    ? HISTORY_ACTIONS.filter((action) => values.actions.split('.').includes(action))
    : [...HISTORY_ACTIONS];
  const choose = (next: string[]) =>
    set(
      {
        actions: next.length === 0 || next.length === HISTORY_ACTIONS.length ? '' : next.join('.'),
      },
      { replace: true },
    );
  return (
    <section className={classes.panel} aria-labelledby="history">
      <h2 className={classes.heading} id="history">
        {t('history.title')}
      </h2>
      <ExplainDelivery id={id} />
      <Chip.Group multiple value={selectedActions} onChange={choose}>
        <div className={classes.filters} role="group" aria-label={t('history.filters')}>
          {HISTORY_ACTIONS.map((action) => (
            <Chip key={action} value={action} size="xs" variant="outline">
              {t(`history.actions.${action}`)}
            </Chip>
          ))}
        </div>
      </Chip.Group>
      <Events id={id} actions={selectedActions} />
    </section>
  );
}

/** Explains why the subscriber did or did not receive a campaign. */
function ExplainDelivery({ id }: { id: string }) {
  const t = useTexts('audience');
  const [isDialogOpen, setDialogOpen] = useState(false);
  return (
    <>
      <Anchor component="button" type="button" size="sm" onClick={() => setDialogOpen(true)}>
        {t('history.ask')}
      </Anchor>
      <DeliveryExplanationDialog
        isOpen={isDialogOpen}
        close={() => setDialogOpen(false)}
        searchFor="campaign"
        suggest={async (term, signal) =>
          (await campaignChoices(term, signal)).map(({ value: campaign, label }) => ({
            id: campaign,
            value: label,
          }))
        }
        getQuestion={(campaign) => ({ campaign, subscriber: id })}
      />
    </>
  );
}

function Events({ id, actions }: { id: string; actions: HistoryAction[] }) {
  const t = useTexts('audience');
  const events = useInfiniteQuery({
    queryKey: ['client-api', 'api', 'subscribers', id, 'events', { actions: actions.join(',') }],
    queryFn: ({ pageParam, signal }) =>
      api('GET /client-api/api/subscribers/{id}/events', {
        params: { id },
        query: { actions: actions.join(','), ...(pageParam ? { after: pageParam } : {}) },
        signal,
      }),
    initialPageParam: '',
    getNextPageParam: (page) => page.meta.next ?? undefined,
  });
  const [messageId, setMessageId] = useState<string>();
  const { ref, entry } = useIntersection({ rootMargin: '200px' });
  const { hasNextPage, isFetchingNextPage, isFetchNextPageError, fetchNextPage } = events;
  // Only the button requests a failed page again; otherwise the request would repeat endlessly.
  const mayFetch = hasNextPage && !isFetchingNextPage && !isFetchNextPageError;
  useEffect(() => {
    if (entry?.isIntersecting && mayFetch) void fetchNextPage();
  }, [entry?.isIntersecting, mayFetch, fetchNextPage]);
  if (events.isLoadingError) {
    return <FailedState error={events.error} retry={() => void events.refetch()} />;
  }
  if (!events.data) return <LoadingState rows={6} />;
  const allEvents = events.data.pages.flatMap((page) => page.data);
  if (allEvents.length === 0) {
    return (
      <EmptyState icon={IconSend} title={t('history.empty.title')}>
        {t('history.empty.text')}
      </EmptyState>
    );
  }
  return (
    <>
      <ul className={classes.events}>
        {allEvents.map((event, index) => (
          <Event key={`${event.at}${event.action}${index}`} event={event} explain={setMessageId} />
        ))}
      </ul>
      <WhyDialog
        question={messageId === undefined ? undefined : { message: messageId, subscriber: id }}
        name={undefined}
        close={() => setMessageId(undefined)}
      />
      {isFetchNextPageError && !isFetchingNextPage && <FailedState error={events.error} />}
      {hasNextPage && (
        <div className={classes.more} ref={ref}>
          <Button
            variant="default"
            size="xs"
            loading={isFetchingNextPage}
            onClick={() => void fetchNextPage()}
          >
            {t('history.more')}
          </Button>
        </div>
      )}
    </>
  );
}

function Event({ event, explain }: { event: HistoryEvent; explain: (message: string) => void }) {
  const t = useTexts('audience');
  const { dateTime, relative } = useFormats();
  const Icon = ICONS[event.action];
  const { message, url, detail, channel } = event;
  return (
    <li
      className={classes.event}
      data-tone={NEGATIVE_ACTIONS.has(event.action) ? 'danger' : undefined}
    >
      <Icon size={18} stroke={1.75} />
      <span className={classes.what}>
        <strong>{t(`history.actions.${event.action}`)}</strong>
        {(event.action === 'unsubscribed' || channel === 'sms') &&
          channel &&
          ` · ${t(`channels.${channel}`)}`}
        {detail && <Detail event={event} detail={detail} />}
        {message && (
          <>
            {' · '}
            <Message message={message} />
            {message.kind !== 'letter' && (
              <>
                {' '}
                <Anchor
                  component="button"
                  type="button"
                  size="xs"
                  onClick={() => explain(message.id)}
                >
                  {t('history.why')}
                </Anchor>
              </>
            )}
          </>
        )}
        {url && (
          <>
            <br />
            <bdi dir="ltr">{url}</bdi>
          </>
        )}
      </span>
      <time className={classes.when} dateTime={event.at} title={dateTime(event.at)}>
        {relative(event.at)}
      </time>
    </li>
  );
}

/** Replies and custom events are content from outside the product, so they are not translated. */
function Detail({ event, detail }: { event: HistoryEvent; detail: string }) {
  const t = useTexts('audience');
  if (event.action === 'replied' || event.action === 'event') {
    return (
      <>
        {' · '}
        <bdi>{detail}</bdi>
      </>
    );
  }
  return ` · ${t(`reasons.${detail}`, { defaultValue: detail })}`;
}

function Message({ message }: { message: NonNullable<HistoryEvent['message']> }) {
  const t = useTexts('audience');
  const subject = <bdi>{replaceTags(message.subject ?? '') || t('history.noSubject')}</bdi>;
  if (!message.campaign) {
    return (
      <>
        {subject}
        {SINGLE_KINDS.has(message.kind) && ` (${t(`history.kinds.${message.kind}`)})`}
      </>
    );
  }
  return (
    <Anchor
      component={Link}
      to={`/${message.kind === 'sms_campaign' ? 'sms' : 'campaigns'}/${message.campaign}/report`}
      fz="sm"
    >
      {subject}
    </Anchor>
  );
}
