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
          {subscriber.consents.map((one) => (
            <li key={`${one.at}${one.channel}${one.kind}`} className={classes.consent}>
              {t(`consent.kinds.${one.kind}`, { channel: t(`channels.${one.channel}`) })}
              {one.wording && <p>{`“${one.wording}”`}</p>}
              <Text component="p" size="xs" c="dimmed">
                {dateTime(one.at)} · {t(`reasons.${one.source}`, { defaultValue: one.source })}
                {one.ip_address && (
                  <>
                    {' · '}
                    <bdi dir="ltr">{one.ip_address}</bdi>
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
