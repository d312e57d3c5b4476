// The record of a subscriber's consents and withdrawals.
import { Text } from '@mantine/core';
import { useFormats } from '#platform/web/texts/formats.ts';
import { useTexts } from '#platform/web/texts/texts.ts';
import type { SubscriberDetails } from '../contract.ts';
import classes from './subscriber-screen.module.css';

export function Consents({ subscriber }: { subscriber: SubscriberDetails }) {
  const t = useTexts('audience');
  const { dateTime } = useFormats();
  return (
    <section className={classes.panel} aria-labelledby="consents">
      <h2 className={classes.heading} id="consents">
        {t('consent.title')}
      </h2>
      {subscriber.consents.length === 0 ? (
        <Text size="sm" c="dimmed">
          {t('consent.none')}
        </Text>
      ) : (
        <ul className={classes.consents}>
          {subscriber.consents.map((consent) => (
            <li key={`${consent.at}${consent.channel}${consent.kind}`} className={classes.consent}>
              {t(`consent.kinds.${consent.kind}`, { channel: t(`channels.${consent.channel}`) })}
              {consent.wording && <p>{`“${consent.wording}”`}</p>}
              <Text component="p" size="xs" c="dimmed">
                {dateTime(consent.at)} ·{' '}
                {t(`reasons.${consent.source}`, { defaultValue: consent.source })}
                {consent.ip_address && (
                  <>
                    {' · '}
                    <bdi dir="ltr">{consent.ip_address}</bdi>
                  </>
                )}
              </Text>
            </li>
          ))}
        </ul>
      )}
    </section>
  );
}
