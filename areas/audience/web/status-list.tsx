// A subscriber's status on four channels, with actions to unsubscribe and resubscribe.
import { Button } from '@mantine/core';
import { CHANNELS, type Channel } from '#areas/subscribers/shared.ts';
import { useFormats } from '#platform/web/texts/formats.ts';
import { toast } from '#platform/web/errors/notices.tsx';
import { useAction } from '#platform/web/api/queries.ts';
import { useTexts } from '#platform/web/texts/texts.ts';
import { promptInput } from '#platform/web/ui/input-dialog.tsx';
import type { SubscriberDetails } from '../contract.ts';
import { api, SUBSCRIBER_QUERIES } from './queries.ts';
import { Status } from './status.tsx';
import classes from './subscriber-screen.module.css';

export function StatusList({ subscriber }: { subscriber: SubscriberDetails }) {
  const t = useTexts('audience');
  return (
    <section className={classes.panel} aria-labelledby="statuses">
      <h2 className={classes.heading} id="statuses">
        {t('one.statuses')}
      </h2>
      <ul className={classes.statuses}>
        {CHANNELS.map((channel) => (
          <ChannelStatus key={channel} channel={channel} subscriber={subscriber} />
        ))}
      </ul>
    </section>
  );
}

interface ChannelStatusProps {
  channel: Channel;
  subscriber: SubscriberDetails;
}

function ChannelStatus({ channel, subscriber }: ChannelStatusProps) {
  const t = useTexts('audience');
  const { relative, dateTime } = useFormats();
  const name = t(`channels.${channel}`);
  const comeback = subscriber.comeback[channel];
  const resubscribeLabel = t(
    subscriber.status[channel] === 'non-subscribed' ? 'one.subscribe' : 'one.resubscribe',
  );
  const changedAt = subscriber.status_changes.find((change) => change.channel === channel)?.at;
  const { leave, reactivation, promptConsent } = useStatusChange(
    { channel, subscriber },
    resubscribeLabel,
  );
  return (
    <li className={classes.status}>
      <span className={classes.channel}>{name}</span>
      <span title={changedAt && dateTime(changedAt)}>
        <Status status={subscriber.status[channel]} />
        {changedAt && subscriber.status[channel] !== 'active' && (
          <span className={classes.never}> {relative(changedAt)}</span>
        )}
      </span>
      {comeback === 'open' && (
        <Button
          variant="subtle"
          size="compact-sm"
          loading={leave.isPending}
          aria-label={`${t('one.unsubscribe')}: ${name}`}
          onClick={() => leave.mutate(undefined)}
        >
          {t('one.unsubscribe')}
        </Button>
      )}
      {(comeback === 'free' || comeback === 'consent') && (
        <Button
          variant="subtle"
          size="compact-sm"
          loading={reactivation.isPending}
          aria-label={`${resubscribeLabel}: ${name}`}
          onClick={() =>
            comeback === 'free' ? reactivation.mutate(undefined) : void promptConsent()
          }
        >
          {resubscribeLabel}
        </Button>
      )}
      <Changes changes={subscriber.status_changes.filter((change) => change.channel === channel)} />
    </li>
  );
}

/** Actions that unsubscribe and resubscribe; `promptConsent` prompts for the consent first. */
function useStatusChange({ channel, subscriber }: ChannelStatusProps, resubscribeLabel: string) {
  const t = useTexts('audience');
  const subscribers = [subscriber.id];
  const name = t(`channels.${channel}`);
  const leave = useAction(
    () => api('POST /client-api/api/unsubscribes', { body: { subscribers, channel } }),
    { invalidates: SUBSCRIBER_QUERIES, onDone: () => toast(t('one.left', { channel: name })) },
  );
  const reactivation = useAction(
    (consent?: string) =>
      api('POST /client-api/api/subscribers/reactivate', {
        body: { subscribers, channel, ...(consent ? { consent } : {}) },
      }),
    { invalidates: SUBSCRIBER_QUERIES, onDone: () => toast(t('one.back', { channel: name })) },
  );
  const promptConsent = async () => {
    const consent = await promptInput({
      type: 'text',
      title: t('one.consent.title', { channel: name }),
      label: t('one.consent.label'),
      description: t('one.consent.hint'),
      maxLength: 1000,
      confirm: resubscribeLabel,
    });
    if (consent) reactivation.mutate(consent);
  };
  return { leave, reactivation, promptConsent };
}

/** The status changes of the channel, newest first. */
function Changes({ changes }: { changes: SubscriberDetails['status_changes'] }) {
  const t = useTexts('audience');
  const { dateTime } = useFormats();
  if (changes.length === 0) return null;
  return (
    <details className={classes.changes}>
      <summary>{t('one.changes', { count: changes.length })}</summary>
      <ol>
        {changes.map(({ at, from, to, reason }) => (
          <li key={`${at}${to}`}>
            {from
              ? t('one.change', { from: t(`statuses.${from}`), to: t(`statuses.${to}`) })
              : t(`statuses.${to}`)}
            <span className={classes.never}>
              {` · ${t(`reasons.${reason}`, { defaultValue: reason })} · `}
              <time dateTime={at}>{dateTime(at)}</time>
            </span>
          </li>
        ))}
      </ol>
    </details>
  );
}
