// A chart of opens and clicks as two thin lines, named at the ends. A button shows the same data as
// a table.
import { Button, Table } from '@mantine/core';
import { useElementSize } from '@mantine/hooks';
import { IconChartLine, IconTable } from '@tabler/icons-react';
import { useState } from 'react';
import { useFormats } from '#platform/web/texts/formats.ts';
import { useTexts } from '#platform/web/texts/texts.ts';
import { LineChart } from '#platform/web/ui/line-chart.tsx';
import classes from './time-chart.module.css';

export type Point = { at: string | number; opens: number; clicks: number };

export function TimeChart({ kind, points }: { kind: 'day' | 'hour'; points: Point[] }) {
  const t = useTexts('reports');
  const [isTable, setTable] = useState(false);
  const { ref, width } = useElementSize();
  const formatTime = useNames(kind);
  const title = t(`charts.by.${kind}`);
  const Icon = isTable ? IconChartLine : IconTable;
  return (
    <section className={classes.panel} aria-label={title}>
      <div className={classes.head}>
        <h3 className={classes.title}>{title}</h3>
        <Button
          size="compact-sm"
          variant="subtle"
          leftSection={<Icon size={18} stroke={1.75} />}
          aria-pressed={isTable}
          onClick={() => setTable(!isTable)}
        >
          {t(isTable ? 'charts.asChart' : 'charts.asTable')}
        </Button>
      </div>
      <div ref={ref} className={classes.body}>
        {isTable ? (
          <Rows kind={kind} points={points} formatTime={formatTime} title={title} />
        ) : (
          width > 0 && (
            <LineChart
              width={width}
              label={summary(t, title, points)}
              names={points.map((point) => formatTime(point.at))}
              lines={[
                { name: t('charts.opens'), values: points.map((point) => point.opens) },
                { name: t('charts.clicks'), values: points.map((point) => point.clicks) },
              ]}
            />
          )
        )}
      </div>
    </section>
  );
}

type Translate = ReturnType<typeof useTexts>;

/** Returns a text summary of the chart for screen readers. */
function summary(t: Translate, title: string, points: Point[]): string {
  const sumCounts = (name: 'opens' | 'clicks') =>
    points.reduce((total, point) => total + point[name], 0);
  return t('charts.summary', { title, opens: sumCounts('opens'), clicks: sumCounts('clicks') });
}

function useNames(kind: 'day' | 'hour'): (at: string | number) => string {
  const { date, number } = useFormats();
  // Days are formatted in UTC, at noon, so that they do not depend on the reader's time zone.
  return (at) => (kind === 'day' ? date(`${at}T12:00:00Z`, 'UTC') : number(Number(at)));
}

function Rows(props: {
  kind: 'day' | 'hour';
  points: Point[];
  formatTime: (at: string | number) => string;
  title: string;
}) {
  const t = useTexts('reports');
  const { number } = useFormats();
  return (
    <div className={classes.scroll} tabIndex={0} role="group" aria-label={props.title}>
      <Table fz="sm" stickyHeader>
        <Table.Thead>
          <Table.Tr>
            <Table.Th>{t(`charts.${props.kind}`)}</Table.Th>
            <Table.Th className={classes.number}>{t('charts.opens')}</Table.Th>
            <Table.Th className={classes.number}>{t('charts.clicks')}</Table.Th>
          </Table.Tr>
        </Table.Thead>
        <Table.Tbody>
          {props.points.map((point) => (
            <Table.Tr key={point.at}>
              <Table.Td>{props.formatTime(point.at)}</Table.Td>
              <Table.Td className={classes.number}>{number(point.opens)}</Table.Td>
              <Table.Td className={classes.number}>{number(point.clicks)}</Table.Td>
            </Table.Tr>
          ))}
        </Table.Tbody>
      </Table>
    </div>
  );
}
