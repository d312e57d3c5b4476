// A form's statistics: views and sign-ups as a line chart or a table, then by page and by device.
import { Alert, Button, Table } from '@mantine/core';
import { useElementSize } from '@mantine/hooks';
import { IconAlertTriangle, IconChartLine, IconTable } from '@tabler/icons-react';
import { type ReactNode, useState } from 'react';
import type { ResponseOf } from '#platform/web/api/api.ts';
import { useFormats } from '#platform/web/texts/formats.ts';
import { useTexts } from '#platform/web/texts/texts.ts';
import { LineChart } from '#platform/web/ui/line-chart.tsx';
import type { calls } from '../contract.ts';
import classes from './view-screen.module.css';

export type Chart = ResponseOf<typeof calls, 'GET /client-api/api/forms/{id}/chart'>['data'];

export function FormFigures(props: { chart: Chart; hasDoubleOptIn: boolean }) {
  const t = useTexts('forms');
  const { chart, hasDoubleOptIn } = props;
  const formatRatio = useRatioFormat();
  const { number } = useFormats();
  const { views, starts, closes, sign_ups, confirmed, trapped, held: unsent } = chart.totals;
  const totals: [string, string][] = [
    [t('columns.views'), number(views)],
    [t('view.starts'), number(starts)],
    [t('view.closes'), number(closes)],
    [t('columns.sign_ups'), number(sign_ups)],
    ...(hasDoubleOptIn || confirmed > 0
      ? [[t('view.confirmed'), number(confirmed)] as [string, string]]
      : []),
    [t('view.conversion'), formatRatio(sign_ups, views)],
    ...(trapped > 0 ? [[t('view.trapped'), number(trapped)] as [string, string]] : []),
  ];
  return (
    <>
      {unsent > 0 && <HeldSignUps count={unsent} />}
      <dl className={classes.sums}>
        {totals.map(([name, value]) => (
          <div key={name}>
            <dt>{name}</dt>
            <dd>{value}</dd>
          </div>
        ))}
      </dl>
      <Days chart={chart} hasDoubleOptIn={hasDoubleOptIn} />
      <div className={`${classes.stack} ${classes.below}`}>
        <Rows
          title={t('view.pages')}
          nameHeader={t('view.page')}
          rows={chart.pages.map((row) => ({
            key: row.page,
            name: (
              <bdi dir="ltr" className={classes.page} title={row.page}>
                {row.page.replace(/^https?:\/\//, '')}
              </bdi>
            ),
            ...row,
          }))}
        />
        <Rows
          title={t('view.devices')}
          nameHeader={t('view.device')}
          rows={chart.devices.map((row) => ({
            key: row.device,
            name: t(`view.kinds.${row.device as 'mobile' | 'tablet' | 'desktop'}`),
            ...row,
          }))}
        />
      </div>
    </>
  );
}

function HeldSignUps({ count }: { count: number }) {
  const t = useTexts('forms');
  const { number } = useFormats();
  return (
    <Alert
      color="warning"
      variant="light"
      mb="md"
      icon={<IconAlertTriangle size={18} stroke={1.75} />}
      title={t('view.held', { count: number(count) })}
    >
      {t('view.heldText')}
    </Alert>
  );
}

/**
 * Formats a rate, as a dash if nothing was viewed: on pages with the plain HTML form, sign-ups are
 * counted without views.
 */
function useRatioFormat() {
  const { percent } = useFormats();
  return (count: number, total: number) =>
    total === 0 ? '–' : percent(Math.min(1, count / total));
}

function Days({ chart, hasDoubleOptIn }: { chart: Chart; hasDoubleOptIn: boolean }) {
  const t = useTexts('forms');
  const [isTable, setTable] = useState(false);
  const { ref, width } = useElementSize();
  const { date, number } = useFormats();
  // Dates do not depend on the reader's zone: noon in UTC is formatted in UTC.
  const names = chart.days.map(({ day }) => date(`${day}T12:00:00Z`, 'UTC'));
  const Icon = isTable ? IconChartLine : IconTable;
  const { views, sign_ups } = chart.totals;
  return (
    <div className={classes.panel}>
      <div className={classes.head}>
        <h2 className={classes.title}>{t('view.byDay')}</h2>
        <Button
          size="compact-sm"
          variant="subtle"
          leftSection={<Icon size={18} stroke={1.75} />}
          aria-pressed={isTable}
          onClick={() => setTable(!isTable)}
        >
          {t(isTable ? 'view.asChart' : 'view.asTable')}
        </Button>
      </div>
      <div ref={ref} className={classes.chart}>
        {isTable ? (
          <div className={classes.scroll} tabIndex={0} role="group" aria-label={t('view.byDay')}>
            <FigureTable
              nameHeader={t('view.day')}
              rows={chart.days.map(({ confirmed, ...row }, i) => ({
                ...{ key: row.day, name: names[i] ?? '', ...row },
                ...(hasDoubleOptIn ? { confirmed } : {}),
              }))}
            />
          </div>
        ) : (
          width > 0 && (
            <LineChart
              width={width}
              label={t('view.summary', { views: number(views), signUps: number(sign_ups) })}
              names={names}
              lines={[
                { name: t('columns.views'), values: chart.days.map((day) => day.views) },
                { name: t('columns.sign_ups'), values: chart.days.map((day) => day.sign_ups) },
              ]}
            />
          )
        )}
      </div>
    </div>
  );
}

type FormFigureRow = {
  key: string;
  name: ReactNode;
  views: number;
  starts: number;
  closes: number;
  sign_ups: number;
  /** Confirmed sign-ups per day, with double opt-in. */
  confirmed?: number;
};

function Rows({
  title,
  nameHeader,
  rows,
}: {
  title: string;
  nameHeader: string;
  rows: FormFigureRow[];
}) {
  const t = useTexts('forms');
  return (
    <div className={classes.panel}>
      <h2 className={classes.title}>{title}</h2>
      {rows.length === 0 ? (
        <p className={classes.muted}>{t('view.nothing')}</p>
      ) : (
        <div className={classes.scroll} tabIndex={0} role="group" aria-label={title}>
          <FigureTable nameHeader={nameHeader} rows={rows} />
        </div>
      )}
    </div>
  );
}

function FigureTable({ nameHeader, rows }: { nameHeader: string; rows: FormFigureRow[] }) {
  const t = useTexts('forms');
  const { number } = useFormats();
  const formatRatio = useRatioFormat();
  return (
    <Table fz="sm" className={classes.figures}>
      <Table.Thead>
        <Table.Tr>
          <Table.Th>{nameHeader}</Table.Th>
          <Table.Th className={classes.number}>{t('columns.views')}</Table.Th>
          <Table.Th className={classes.number}>{t('view.starts')}</Table.Th>
          <Table.Th className={classes.number}>{t('view.closes')}</Table.Th>
          <Table.Th className={classes.number}>{t('columns.sign_ups')}</Table.Th>
          {rows.some((row) => row.confirmed !== undefined) && (
            <Table.Th className={classes.number}>{t('view.confirmed')}</Table.Th>
          )}
          <Table.Th className={classes.number}>{t('columns.rate')}</Table.Th>
        </Table.Tr>
      </Table.Thead>
      <Table.Tbody>
        {rows.map((row) => (
          <Table.Tr key={row.key}>
            <Table.Td>{row.name}</Table.Td>
            <Table.Td className={classes.number}>{number(row.views)}</Table.Td>
            <Table.Td className={classes.number}>{number(row.starts)}</Table.Td>
            <Table.Td className={classes.number}>{number(row.closes)}</Table.Td>
            <Table.Td className={classes.number}>{number(row.sign_ups)}</Table.Td>
            {row.confirmed !== undefined && (
              <Table.Td className={classes.number}>{number(row.confirmed)}</Table.Td>
            )}
            <Table.Td className={classes.number}>{formatRatio(row.sign_ups, row.views)}</Table.Td>
          </Table.Tr>
        ))}
      </Table.Tbody>
    </Table>
  );
}
