// A chart of the last 30 days in the account's time zone as bars, and a table with the same counts
// for screen readers.
import { Title, VisuallyHidden } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { useSession } from '#platform/web/session/session.ts';
import { dayIn, useFormats } from '#platform/web/texts/formats.ts';
import { useTexts } from '#platform/web/texts/texts.ts';
import { FailedState, LoadingState } from '#platform/web/ui/states.tsx';
import classes from './event-chart.module.css';
import { api } from './queries.ts';

const DAY_MS = 86_400_000;

/** Returns the date (`YYYY-MM-DD`) that is `count` days before `day`. */
const dayBefore = (day: string, count: number) =>
  new Date(Date.parse(day) - count * DAY_MS).toISOString().slice(0, 10);

export function EventChart({ id }: { id: string }) {
  const t = useTexts('events');
  const { number, date } = useFormats();
  const { account } = useSession();
  const [query] = useState(() => {
    const today = dayIn(new Date(), account.timezone);
    return { from: dayBefore(today, 29), to: today };
  });
  const chart = useQuery(
    api.query('GET /client-api/api/custom_events/{id}/chart', { params: { id }, query }),
  );
  if (chart.isError && !chart.data)
    return <FailedState error={chart.error} retry={() => void chart.refetch()} />;
  if (!chart.data) return <LoadingState rows={4} />;
  const days = chart.data.data;
  const maxCount = Math.max(1, ...days.map(({ count }) => count));
  return (
    <section aria-labelledby="chart">
      <Title order={2} size="h4" id="chart" mb="sm">
        {t('chart.title')}
      </Title>
      <div className={classes.bars} aria-hidden="true">
        {days.map(({ day, count }) => (
          <div
            key={day}
            className={classes.bar}
            title={`${date(day)}: ${number(count)}`}
            style={{ blockSize: `${(count / maxCount) * 100}%` }}
          />
        ))}
      </div>
      <div className={classes.ends} aria-hidden="true">
        <span>{date(query.from)}</span>
        <span>{date(query.to)}</span>
      </div>
      <VisuallyHidden>
        <table>
          <caption>{t('chart.title')}</caption>
          <thead>
            <tr>
              <th scope="col">{t('columns.day')}</th>
              <th scope="col">{t('columns.count')}</th>
            </tr>
          </thead>
          <tbody>
            {days
              .filter(({ count }) => count > 0)
              .map(({ day, count }) => (
                <tr key={day}>
                  <th scope="row">{date(day)}</th>
                  <td>{number(count)}</td>
                </tr>
              ))}
          </tbody>
        </table>
      </VisuallyHidden>
    </section>
  );
}
