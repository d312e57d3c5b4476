// The table of a forecast: the expected value, the range, and the result once it is known.
import { Table } from '@mantine/core';
import { useAmount } from '#platform/web/texts/amount.ts';
import { useFormats } from '#platform/web/texts/formats.ts';
import { useTexts } from '#platform/web/texts/texts.ts';
import type {
  DoneTime,
  CampaignForecast,
  CampaignInterval,
  Truth,
} from '../../forecast-contract.ts';

const METRICS = ['delivered', 'opens', 'clicks', 'unsubscribes', 'bounces', 'complaints'] as const;

interface Props {
  forecast: CampaignForecast;
  truth?: Truth | null;
}

export function FiguresTable({ forecast, truth }: Props) {
  const t = useTexts('forecast');
  const { number } = useFormats();
  const amount = useAmount();
  return (
    <Table verticalSpacing="xs">
      <Table.Thead>
        <Table.Tr>
          <Table.Th scope="col">{t('figure')}</Table.Th>
          <Table.Th scope="col">{t('expected')}</Table.Th>
          <Table.Th scope="col">{t('range')}</Table.Th>
          {truth && <Table.Th scope="col">{t('result')}</Table.Th>}
        </Table.Tr>
      </Table.Thead>
      <Table.Tbody>
        {METRICS.map((metric) => (
          <FigureRow
            key={metric}
            title={t(`metrics.${metric}`)}
            interval={forecast.metrics[metric]}
            format={number}
            result={truth?.[metric]}
          />
        ))}
        <DoneFigure done={forecast.done} result={truth?.done} />
        {forecast.revenue.map(({ currency, amount: interval }) => (
          <FigureRow
            key={currency}
            title={t('metrics.revenue')}
            interval={interval}
            format={(value) => amount(value, currency, 0)}
            result={
              truth
                ? (truth.revenue.find((revenue) => revenue.currency === currency)?.amount ?? 0)
                : undefined
            }
          />
        ))}
      </Table.Tbody>
    </Table>
  );
}

function DoneFigure(props: {
  done: CampaignForecast['done'];
  /** Undefined while there is no result; null if the result is unknown. */
  result: string | null | undefined;
}) {
  const t = useTexts('forecast');
  const { dateTime } = useFormats();
  const range = useDoneRange();
  const { done, result } = props;
  const isKnown = done !== null && !hasUnknownEnd(done);
  return (
    <Table.Tr>
      <Table.Th scope="row" fw={400}>
        {t('metrics.done')}
      </Table.Th>
      <Table.Td>{isKnown ? formatMoment(done.mid, dateTime, t('beyond')) : t('unknown')}</Table.Td>
      <Table.Td>{isKnown ? range(done) : '–'}</Table.Td>
      {result !== undefined && (
        <Table.Td>{result === null ? t('unknown') : dateTime(result)}</Table.Td>
      )}
    </Table.Tr>
  );
}

const formatMoment = (
  instant: string | null,
  format: (instant: string) => string,
  beyondText: string,
): string => (instant === null ? beyondText : format(instant));

/** Returns whether the end time depends on an event that has not happened yet. */
export const hasUnknownEnd = ({ limit }: Pick<DoneTime, 'limit'>) =>
  limit === 'engaged' || limit === 'experiment';

/** Formats the interval of the end, without dates if all of it is on one day. */
export function useDoneRange() {
  const t = useTexts('forecast');
  const { date, dateTime, time } = useFormats();
  return ({ low, mid, high }: Pick<DoneTime, 'low' | 'mid' | 'high'>): string => {
    if (low === null) return t('beyond');
    const isOneDay = [mid, high].every((bound) => bound !== null && date(bound) === date(low));
    const format = isOneDay ? time : dateTime;
    return t('between', { low: format(low), high: formatMoment(high, format, t('beyond')) });
  };
}

function FigureRow(props: {
  title: string;
  interval: CampaignInterval | null;
  format: (value: number) => string;
  /** Undefined while there is no result; null if the result is unknown. */
  result: number | null | undefined;
}) {
  const t = useTexts('forecast');
  const { title, interval, format, result } = props;
  const between = interval && { low: format(interval.low), high: format(interval.high) };
  return (
    <Table.Tr>
      <Table.Th scope="row" fw={400}>
        {title}
      </Table.Th>
      <Table.Td>{interval ? format(interval.mid) : t('unknown')}</Table.Td>
      <Table.Td>{between ? t('between', between) : '–'}</Table.Td>
      {result !== undefined && (
        <Table.Td>{result === null ? t('unknown') : format(result)}</Table.Td>
      )}
    </Table.Tr>
  );
}
