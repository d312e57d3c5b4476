// The links of the email and their clicks: as a list, or in the email itself.
import { SegmentedControl } from '@mantine/core';
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { parseOneOf, useSearchParams } from '#platform/web/api/address.ts';
import { useFormats } from '#platform/web/texts/formats.ts';
import { useListAddress } from '#platform/web/session/list-address.ts';
import { useTexts } from '#platform/web/texts/texts.ts';
import { type TableColumn, DataTable } from '#platform/web/ui/data-table.tsx';
import { EmptyState } from '#platform/web/ui/states.tsx';
import { divideOrZero } from '#areas/tracking/shared.ts';
import { useParam } from '#platform/web/hooks/use-param.ts';
import type { Link } from '../contract.ts';
import classes from './actions.module.css';
import parts from './parts.module.css';
import { Heatmap } from './heatmap.tsx';
import { api, reportPath, useOverview } from './queries.ts';
import { useVariantQuery, withVariant } from './variant-filter.tsx';

const SORTS = ['unique_human_clicks', 'human_clicks', 'position', 'url'] as const;

const address = { view: parseOneOf(['list', 'mail'], 'list') };

export default function LinksScreen() {
  const t = useTexts('reports');
  const [{ view }, set] = useSearchParams(address);
  return (
    <>
      <SegmentedControl
        size="sm"
        mb="md"
        aria-label={t('links.view')}
        value={view}
        data={[
          { value: 'list', label: t('links.asList') },
          { value: 'mail', label: t('links.inMail') },
        ]}
        onChange={(next) => set({ view: next === 'mail' ? 'mail' : 'list' }, { replace: true })}
      />
      {view === 'mail' ? <Heatmap /> : <Links />}
    </>
  );
}

function Links() {
  const t = useTexts('reports');
  const id = useParam('campaign');
  const list = useListAddress({ sorts: SORTS, direction: 'desc' });
  const variant = useVariantQuery();
  const deliveredCount = useOverview(variant).data?.data.figures.delivered.count ?? 0;
  const links = useQuery({
    ...api.query('GET /client-api/api/campaigns/{id}/report/clicks', {
      params: { id },
      query: { ...list.query, ...variant },
    }),
    placeholderData: keepPreviousData,
  });
  const columns = useColumns(deliveredCount);
  return (
    <>
      <p className={parts.note}>{t('bases.links')}</p>
      <DataTable
        label={t('tabs.clicks')}
        query={links}
        list={list}
        rowId={(link) => link.id}
        getRowName={(link) => link.label || link.url}
        getRowLink={(link) => withVariant(`${reportPath(id)}/links/${link.id}`, variant)}
        search={t('links.find')}
        columns={columns}
        empty={<EmptyState title={t('links.empty')}>{t('links.emptyText')}</EmptyState>}
      />
    </>
  );
}

function useColumns(deliveredCount: number): TableColumn<Link>[] {
  const t = useTexts('reports');
  const { number, percent } = useFormats();
  return [
    {
      id: 'url',
      header: t('links.columns.link'),
      sort: 'url',
      cell: (link) => <LinkName link={link} />,
    },
    {
      id: 'share',
      header: t('links.columns.share'),
      align: 'end',
      isWide: true,
      cell: (link) => percent(divideOrZero(link.unique_human_clicks, deliveredCount)),
    },
    {
      id: 'unique',
      header: t('links.columns.unique'),
      align: 'end',
      sort: 'unique_human_clicks',
      cell: (link) => number(link.unique_human_clicks),
    },
    {
      id: 'clicks',
      header: t('links.columns.clicks'),
      align: 'end',
      isWide: true,
      sort: 'human_clicks',
      cell: (link) => number(link.human_clicks),
    },
    {
      id: 'machines',
      header: t('links.columns.machines'),
      align: 'end',
      isWide: true,
      cell: (link) => number(link.clicks - link.human_clicks),
    },
  ];
}

function LinkName({ link }: { link: Link }) {
  return (
    <>
      {link.label && (
        <span className={classes.label}>
          <bdi>{link.label}</bdi>
        </span>
      )}
      <span className={classes.url} dir="ltr">
        {link.url}
      </span>
    </>
  );
}
