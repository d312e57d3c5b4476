// A subscriber's engagement: the last open, click and order, and a year as a grid.
import { useQuery } from '@tanstack/react-query';
import { useFormats } from '#platform/web/texts/formats.ts';
import { useTexts } from '#platform/web/texts/texts.ts';
import type { SubscriberDetails, SubscriberEngagement } from '../contract.ts';
import classes from './engagement.module.css';
import { getShadeLevel, listDaySquares } from './engagement-days.ts';
import { api } from './queries.ts';

export function Engagement({ subscriber: { id, worth } }: { subscriber: SubscriberDetails }) {
  const t = useTexts('audience');
  const query = useQuery({
    ...api.query('GET /client-api/api/subscribers/{id}/engagement', { params: { id } }),
    meta: { notFound: 'inline' },
  });
  const engagement = query.data?.data;
  // A failure is ignored, because the rest of the page works without this panel.
  if (query.isError && !engagement) return null;
  return (
    <section className={classes.panel} aria-label={t('engagement.title')}>
      <dl className={classes.last}>
        <LastActivity
          name="lastOpen"
          at={engagement?.last_open}
          isKnown={engagement !== undefined}
        />
        <LastActivity
          name="lastClick"
          at={engagement?.last_click}
          isKnown={engagement !== undefined}
        />
        {worth && <LastActivity name="lastOrder" at={worth.last_order} isKnown />}
      </dl>
      {engagement ? <Year engagement={engagement} /> : <div className={classes.year} />}
    </section>
  );
}

interface LastActivityProps {
  name: 'lastOpen' | 'lastClick' | 'lastOrder';
  at: string | null | undefined;
  isKnown: boolean;
}

function LastActivity({ name, at, isKnown }: LastActivityProps) {
  const t = useTexts('audience');
  const { dateTime, relative } = useFormats();
  return (
    <div>
      <dt>{t(`engagement.${name}`)}</dt>
      <dd>
        {at ? (
          <time dateTime={at} title={dateTime(at)}>
            {relative(at)}
          </time>
        ) : isKnown ? (
          t('engagement.never')
        ) : (
          '\u00a0'
        )}
      </dd>
    </div>
  );
}

function Year({ engagement }: { engagement: SubscriberEngagement }) {
  const t = useTexts('audience');
  const { date, number } = useFormats();
  const countTotal = (kind: 'opens' | 'clicks') =>
    number(engagement.days.reduce((total, day) => total + day[kind], 0));
  const summary = t('engagement.year', {
    opens: countTotal('opens'),
    clicks: countTotal('clicks'),
  });
  return (
    <figure className={classes.figure}>
      <div className={classes.year} role="img" aria-label={summary}>
        {listDaySquares(engagement).map(({ day, opens, clicks }) => (
          <span
            key={day}
            data-level={getShadeLevel(opens, clicks)}
            title={t('engagement.day', {
              date: date(`${day}T12:00:00Z`),
              opens: number(opens),
              clicks: number(clicks),
            })}
          />
        ))}
      </div>
      <figcaption>{summary}</figcaption>
    </figure>
  );
}
