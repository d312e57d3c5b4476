// Figures of a date range by day: totals, a chart, and a table with the same data.
import { Group, SegmentedControl, SimpleGrid, Table, Text } from '@mantine/core';
import { useElementSize } from '@mantine/hooks';
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { useSession } from '#platform/web/session/session.ts';
import { useFormats } from '#platform/web/texts/formats.ts';
import { useTexts } from '#platform/web/texts/texts.ts';
import { DayField } from '#platform/web/ui/day-field.tsx';
import { LineChart } from '#platform/web/ui/line-chart.tsx';
import { FailedState, LoadingState } from '#platform/web/ui/states.tsx';
import type { WorkflowDay } from '../insight-contract.ts';
import { api } from './queries.ts';

const DAY_MS = 86_400_000;
const RANGES = ['7', '30', '90', 'custom'] as const;
type DaysRange = (typeof RANGES)[number];
const FIGURE_NAMES = ['entered', 'completed', 'sent', 'opened', 'clicked'] as const;

/** Returns today's date in a time zone. */
const getToday = (timeZone: string) =>
  new Intl.DateTimeFormat('sv-SE', { timeZone, dateStyle: 'short' }).format(new Date());

const subtractDays = (day: string, count: number) =>
  new Date(Date.parse(day) - count * DAY_MS).toISOString().slice(0, 10);

export function Days({ id }: { id: string }) {
  const t = useTexts('workflows');
  const { account } = useSession();
  const today = getToday(account.timezone);
  const [range, setRange] = useState<DaysRange>('30');
  const [from, setFrom] = useState(subtractDays(today, 29));
  const [until, setUntil] = useState(today);
  const choose = (value: string) => {
    setRange(value as DaysRange);
    if (value === 'custom') return;
    setFrom(subtractDays(today, Number(value) - 1));
    setUntil(today);
  };
  const isValid = from !== '' && until !== '' && from <= until;
  const days = useQuery({
    ...api.query('GET /client-api/api/workflows/{id}/days', {
      params: { id },
      query: { from, until },
    }),
    enabled: isValid,
    placeholderData: keepPreviousData,
  });
  return (
    <section aria-labelledby="days">
      <Group justify="space-between" mb="sm">
        <Text component="h2" id="days" fw={600} m={0}>
          {t('report.byDay')}
        </Text>
        <SegmentedControl
          size="xs"
          aria-label={t('report.range')}
          value={range}
          onChange={choose}
          data={RANGES.map((value) => ({ value, label: t(`report.ranges.${value}`) }))}
        />
      </Group>
      {range === 'custom' && <SpanFields {...{ today, from, until, setFrom, setUntil }} />}
      {days.isError && !days.data ? (
        <FailedState error={days.error} retry={() => void days.refetch()} />
      ) : days.data ? (
        <DaysChart days={days.data.data} />
      ) : (
        <LoadingState rows={3} />
      )}
    </section>
  );
}

interface SpanFieldsProps {
  today: string;
  from: string;
  until: string;
  setFrom: (day: string) => void;
  setUntil: (day: string) => void;
}

function SpanFields({ today, from, until, setFrom, setUntil }: SpanFieldsProps) {
  const t = useTexts('workflows');
  return (
    <Group mb="sm">
      {(
        [
          ['from', from, setFrom],
          ['until', until, setUntil],
        ] as const
      ).map(([name, value, set]) => (
        <DayField
          key={name}
          size="xs"
          label={t(`report.${name}`)}
          value={value}
          max={today}
          onChange={set}
        />
      ))}
    </Group>
  );
}

function DaysChart({ days }: { days: readonly WorkflowDay[] }) {
  const t = useTexts('workflows');
  const { number } = useFormats();
  const { ref, width } = useElementSize();
  const sumMetric = (name: (typeof FIGURE_NAMES)[number]) =>
    days.reduce((total, day) => total + day[name], 0);
  const formatDayName = useDayName();
  return (
    <>
      <SimpleGrid cols={{ base: 2, sm: 5 }} component="dl" m={0} mb="sm">
        {FIGURE_NAMES.map((name) => (
          <div key={name}>
            <Text component="dt" size="sm" c="dimmed">
              {t(`report.${name}`)}
            </Text>
            <Text component="dd" m={0} size="lg" fw={600}>
              {number(sumMetric(name))}
            </Text>
          </div>
        ))}
      </SimpleGrid>
      <div ref={ref}>
        {width > 0 && (
          <LineChart
            width={width}
            label={t('report.summary', {
              entered: number(sumMetric('entered')),
              sent: number(sumMetric('sent')),
            })}
            names={days.map(({ day }) => formatDayName(day))}
            lines={(['entered', 'sent'] as const).map((name) => ({
              name: t(`report.${name}`),
              values: days.map((day) => day[name]),
            }))}
          />
        )}
      </div>
      <DaysTable days={days} />
    </>
  );
}

function useDayName() {
  const { date } = useFormats();
  // Noon in UTC is on the same day in every zone.
  return (day: string) => date(`${day}T12:00:00Z`, 'UTC');
}

function DaysTable({ days }: { days: readonly WorkflowDay[] }) {
  const t = useTexts('workflows');
  const { number } = useFormats();
  const formatDayName = useDayName();
  return (
    <details>
      <summary>{t('report.asTable')}</summary>
      <Table.ScrollContainer minWidth={480}>
        <Table fz="sm">
          <Table.Thead>
            <Table.Tr>
              <Table.Th>{t('report.day')}</Table.Th>
              {FIGURE_NAMES.map((name) => (
                <Table.Th key={name} ta="end">
                  {t(`report.${name}`)}
                </Table.Th>
              ))}
            </Table.Tr>
          </Table.Thead>
          <Table.Tbody>
            {days.map((day) => (
              <Table.Tr key={day.day}>
                <Table.Td>{formatDayName(day.day)}</Table.Td>
                {FIGURE_NAMES.map((name) => (
                  <Table.Td key={name} ta="end">
                    {number(day[name])}
                  </Table.Td>
                ))}
              </Table.Tr>
            ))}
          </Table.Tbody>
        </Table>
      </Table.ScrollContainer>
    </details>
  );
}
