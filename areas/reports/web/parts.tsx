// The report's statistics by mailbox domain, device and country, in small tables with bars.
import { Button, Table } from '@mantine/core';
import { useQuery, type UseQueryResult } from '@tanstack/react-query';
import { type ReactNode, useId, useState } from 'react';
import { toUnicodeDomain } from '#platform/domain-display.ts';
import { useFormats } from '#platform/web/texts/formats.ts';
import { useTexts } from '#platform/web/texts/texts.ts';
import { FailedState, LoadingState } from '#platform/web/ui/states.tsx';
import { divideOrZero } from '#areas/tracking/shared.ts';
import { useParam } from '#platform/web/hooks/use-param.ts';
import type { DomainFiguresRow, SpreadRow } from '../contract.ts';
import classes from './parts.module.css';
import { Counting } from './counting.tsx';
import { api, toVariantQuery } from './queries.ts';
import { useVariantQuery } from './variant-filter.tsx';

const MAX_ROWS_SHOWN = 6;

/** If `humansOnly` is true, only events by humans are counted. */
export function Parts({ humansOnly }: { humansOnly: boolean }) {
  const id = useParam('campaign');
  const t = useTexts('reports');
  const { region } = useFormats();
  const options = { params: { id }, ...toVariantQuery(useVariantQuery()) };
  const domains = useQuery(api.query('GET /client-api/api/campaigns/{id}/report/domains', options));
  const devices = useQuery(api.query('GET /client-api/api/campaigns/{id}/report/devices', options));
  const countries = useQuery(
    api.query('GET /client-api/api/campaigns/{id}/report/countries', options),
  );
  const country = (code: string) => (code === '' ? t('parts.unknown') : region(code));
  const ofPart = t(humansOnly ? 'bases.part' : 'bases.partAll');
  const ofEvents = t(humansOnly ? 'bases.events' : 'bases.eventsAll');
  const device = (value: string) =>
    value === '' ? t('parts.unknown') : t(`parts.device.${value}`);
  return (
    <div className={classes.parts}>
      <Panel
        title={t('parts.domains')}
        description={`${t('parts.domainsNote')} ${ofPart}`}
        query={domains}
      >
        {(rows) => <Domains rows={rows} humansOnly={humansOnly} />}
      </Panel>
      <Panel
        title={t('parts.devices')}
        description={`${t('parts.devicesNote')} ${ofEvents}`}
        query={devices}
      >
        {(rows) => (
          <Spread
            rows={rows}
            humansOnly={humansOnly}
            name={device}
            columnTitle={t('parts.deviceName')}
          />
        )}
      </Panel>
      <Panel
        title={t('parts.countries')}
        description={`${t('parts.countriesNote')} ${ofEvents}`}
        query={countries}
      >
        {(rows) => (
          <Spread
            rows={rows}
            humansOnly={humansOnly}
            name={country}
            columnTitle={t('parts.countryName')}
          />
        )}
      </Panel>
    </div>
  );
}

function Panel<Row>({
  title,
  description,
  query,
  children,
}: {
  title: string;
  description: string;
  query: UseQueryResult<{ data: Row[]; is_counting?: boolean }>;
  children: (rows: Row[]) => ReactNode;
}) {
  const id = useId();
  return (
    <section className={classes.panel} aria-labelledby={id}>
      <h3 id={id} className={classes.title}>
        {title}
      </h3>
      <p className={classes.note}>{description}</p>
      {query.data?.is_counting ? (
        <Counting />
      ) : query.data ? (
        children(query.data.data)
      ) : query.isError ? (
        <FailedState error={query.error} retry={() => void query.refetch()} />
      ) : (
        <LoadingState rows={4} />
      )}
    </section>
  );
}

/** Shows the first rows, and all of them on demand. */
function useMore<Row>(rows: readonly Row[]) {
  const t = useTexts('reports');
  const [isOpen, setOpen] = useState(false);
  const hiddenCount = rows.length - MAX_ROWS_SHOWN;
  const moreButton = hiddenCount > 1 && (
    <Button
      size="compact-sm"
      variant="subtle"
      aria-expanded={isOpen}
      onClick={() => setOpen(!isOpen)}
    >
      {isOpen ? t('parts.less') : t('parts.more', { count: hiddenCount })}
    </Button>
  );
  return {
    visibleRows: isOpen || hiddenCount <= 1 ? rows : rows.slice(0, MAX_ROWS_SHOWN),
    moreButton,
  };
}

function Spread({
  rows,
  humansOnly,
  name,
  columnTitle,
}: {
  rows: SpreadRow[];
  humansOnly: boolean;
  name: (value: string) => string;
  columnTitle: string;
}) {
  const t = useTexts('reports');
  const { number, percent } = useFormats();
  const countOpens = (row: SpreadRow) => (humansOnly ? row.human_opens : row.opens);
  const countClicks = (row: SpreadRow) => (humansOnly ? row.human_clicks : row.clicks);
  const activeRows = rows
    .filter((row) => countOpens(row) + countClicks(row) > 0)
    .sort((a, b) => countOpens(b) - countOpens(a) || countClicks(b) - countClicks(a));
  const { visibleRows, moreButton } = useMore(activeRows);
  const all = activeRows.reduce((total, row) => total + countOpens(row), 0);
  if (activeRows.length === 0) return <p className={classes.none}>{t('parts.none')}</p>;
  return (
    <>
      <Table fz="sm" verticalSpacing={6}>
        <Table.Thead>
          <Table.Tr>
            <Table.Th>{columnTitle}</Table.Th>
            <Table.Th className={classes.number}>{t('charts.opens')}</Table.Th>
            <Table.Th className={classes.number}>{t('charts.clicks')}</Table.Th>
          </Table.Tr>
        </Table.Thead>
        <Table.Tbody>
          {visibleRows.map((row) => (
            <Table.Tr key={row.value}>
              <Table.Td>
                <bdi>{name(row.value)}</bdi>
                <Bar fraction={all === 0 ? 0 : countOpens(row) / all} />
              </Table.Td>
              <Table.Td className={classes.number} title={number(countOpens(row))}>
                {percent(all === 0 ? 0 : countOpens(row) / all)}
              </Table.Td>
              <Table.Td className={classes.number}>{number(countClicks(row))}</Table.Td>
            </Table.Tr>
          ))}
        </Table.Tbody>
      </Table>
      {moreButton}
    </>
  );
}

function Domains({ rows, humansOnly }: { rows: DomainFiguresRow[]; humansOnly: boolean }) {
  const t = useTexts('reports');
  const { number, percent } = useFormats();
  const { visibleRows, moreButton } = useMore(rows);
  const peak = Math.max(1, ...rows.map((row) => row.sent));
  const formatShare = (part: number, whole: number) => percent(divideOrZero(part, whole));
  if (rows.length === 0) return <p className={classes.none}>{t('parts.noneSent')}</p>;
  return (
    <>
      <div className={classes.scroll} role="group" aria-label={t('parts.domains')} tabIndex={0}>
        <Table fz="sm" verticalSpacing={6}>
          <Table.Thead>
            <Table.Tr>
              <Table.Th>{t('parts.domainName')}</Table.Th>
              <Table.Th className={classes.number}>{t('groups.columns.sent')}</Table.Th>
              <Table.Th className={classes.number}>{t('parts.delivered')}</Table.Th>
              {(['opens', 'clicks', 'bounces', 'complaints'] as const).map((column) => (
                <Table.Th key={column} className={classes.number}>
                  {t(`groups.columns.${column}`)}
                </Table.Th>
              ))}
            </Table.Tr>
          </Table.Thead>
          <Table.Tbody>
            {visibleRows.map((row) => (
              <Table.Tr key={row.domain ?? ''}>
                <Table.Td>
                  {row.domain === null ? (
                    t('parts.others')
                  ) : (
                    <bdi dir="ltr">{toUnicodeDomain(row.domain)}</bdi>
                  )}
                  <Bar fraction={row.sent / peak} />
                </Table.Td>
                <Table.Td className={classes.number}>{number(row.sent)}</Table.Td>
                <Table.Td className={classes.number}>
                  {formatShare(row.delivered, row.sent)}
                </Table.Td>
                <Table.Td className={classes.number}>
                  {formatShare(humansOnly ? row.human_opens : row.opens, row.delivered)}
                </Table.Td>
                <Table.Td className={classes.number}>
                  {formatShare(humansOnly ? row.human_clicks : row.clicks, row.delivered)}
                </Table.Td>
                <Table.Td className={classes.number}>{formatShare(row.bounces, row.sent)}</Table.Td>
                <Table.Td className={classes.number}>
                  {formatShare(row.complaints, row.delivered)}
                </Table.Td>
              </Table.Tr>
            ))}
          </Table.Tbody>
        </Table>
      </div>
      {moreButton}
    </>
  );
}

function Bar({ fraction }: { fraction: number }) {
  return (
    <span className={classes.bar} aria-hidden>
      <span style={{ inlineSize: `${Math.max(0, Math.min(1, fraction)) * 100}%` }} />
    </span>
  );
}
