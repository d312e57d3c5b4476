// What the import would change, on demand: figures, the rows that would not come in, some of the changes.
import { Alert, Button, Progress, Text, Title } from '@mantine/core';
import { IconListSearch } from '@tabler/icons-react';
import { useState } from 'react';
import { useFormats } from '#platform/web/formats.ts';
import { useTexts } from '#platform/web/texts.ts';
import type { Forecast, ImportPreview } from '../contract.ts';
import classes from './forecast-panel.module.css';
import { faultOf, forecastOf, type Plan } from './plan.ts';
import { useForecast } from './queries.ts';

const figures = [
  'created_count',
  'updated_count',
  'unchanged_count',
  'rejected_count',
  'kept_count',
] as const;

export function ForecastPanel({ preview, plan }: { preview: ImportPreview; plan: Plan }) {
  const t = useTexts('imports');
  const order = forecastOf(preview, plan);
  const [asked, setAsked] = useState<string>();
  const forecast = useForecast(preview.id);
  const isCurrent = asked === JSON.stringify(order);
  const fault = faultOf(plan);
  const isReady = fault === undefined || fault === 'notAttested';
  const data = isCurrent ? forecast.data : undefined;
  const isGoing =
    forecast.isAsking || (isCurrent && (data?.state === 'queued' || data?.state === 'running'));
  return (
    <section className={classes.panel}>
      <div className={classes.head}>
        <div>
          <Title order={2} className={classes.title}>
            {t('forecast.title')}
          </Title>
          <Text size="sm" c="dimmed">
            {t('forecast.hint')}
          </Text>
        </div>
        <Button
          variant="default"
          leftSection={<IconListSearch size={18} stroke={1.75} />}
          loading={isGoing}
          disabled={!isReady}
          onClick={() => {
            setAsked(JSON.stringify(order));
            forecast.ask(order);
          }}
        >
          {t('forecast.ask')}
        </Button>
      </div>
      {data && <Result data={data} />}
    </section>
  );
}

function Result({ data }: { data: Forecast }) {
  const t = useTexts('imports');
  const { number, percent } = useFormats();
  if (data.state === 'failed')
    return (
      <Alert color="red" role="alert">
        {t('forecast.failed')}
      </Alert>
    );
  if (data.state !== 'finished') {
    const share = data.rowCount === 0 ? 0 : Math.min(1, data.rows_read / data.rowCount);
    return (
      <Progress.Root size="sm">
        <Progress.Section
          value={Math.max(2, share * 100)}
          animated
          aria-label={t('forecast.title')}
          aria-valuetext={percent(share)}
        />
      </Progress.Root>
    );
  }
  return (
    <div role="status">
      <dl className={classes.figures}>
        {figures.map((name) => (
          <div key={name}>
            <dt>{t(`forecast.${name}`)}</dt>
            <dd>{number(data[name])}</dd>
          </div>
        ))}
      </dl>
      <Reasons title={t('forecast.rejected')} counted={data.rejected} />
      <Reasons title={t('forecast.noted')} counted={data.noted} />
      {data.samples.length > 0 && <Samples samples={data.samples} />}
    </div>
  );
}

function Reasons({ title, counted }: { title: string; counted: Forecast['rejected'] }) {
  const { number } = useFormats();
  if (counted.length === 0) return null;
  return (
    <>
      <Title order={3} className={classes.part}>
        {title}
      </Title>
      <ul className={classes.reasons}>
        {counted.map(({ reason, message, count }) => (
          <li key={reason}>
            <span className={classes.count}>{number(count)}</span> {message}
          </li>
        ))}
      </ul>
    </>
  );
}

const statusTargets: ReadonlySet<string> = new Set(['email_status', 'sms_status']);

function Samples({ samples }: { samples: Forecast['samples'] }) {
  const t = useTexts('imports');
  const shown = (target: string, value: string) =>
    value !== '' && statusTargets.has(target) ? t(`statuses.${value}`) : value;
  return (
    <>
      <Title order={3} className={classes.part}>
        {t('forecast.samples')}
      </Title>
      <div className={classes.scroll} tabIndex={0} role="region" aria-label={t('forecast.samples')}>
        <table className={classes.table}>
          <thead>
            <tr>
              <th scope="col">{t('forecast.who')}</th>
              <th scope="col">{t('forecast.what')}</th>
              <th scope="col">{t('forecast.before')}</th>
              <th scope="col">{t('forecast.after')}</th>
            </tr>
          </thead>
          <tbody>
            {samples.flatMap((sample) =>
              sample.changes.map((change, i) => (
                <tr key={`${sample.name} ${change.target} ${change.title ?? ''}`}>
                  <td>{i === 0 && <bdi>{sample.name}</bdi>}</td>
                  <td>
                    {change.target === 'field' ? (
                      <bdi>{change.title}</bdi>
                    ) : (
                      t(`targets.${change.target}`)
                    )}
                  </td>
                  <td className={classes.before}>
                    <bdi>{shown(change.target, change.before)}</bdi>
                  </td>
                  <td>
                    <bdi>{shown(change.target, change.after)}</bdi>
                  </td>
                </tr>
              )),
            )}
          </tbody>
        </table>
      </div>
    </>
  );
}
