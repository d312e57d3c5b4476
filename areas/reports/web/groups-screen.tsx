// Figures of each group that the campaign was sent to.
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { useFormats } from '#platform/web/texts/formats.ts';
import { useListAddress } from '#platform/web/session/list-address.ts';
import { useTexts } from '#platform/web/texts/texts.ts';
import { DataTable } from '#platform/web/ui/data-table.tsx';
import { EmptyState } from '#platform/web/ui/states.tsx';
import { useParam } from '#platform/web/hooks/use-param.ts';
import { computePartRates } from '#areas/tracking/shared.ts';
import type { GroupFiguresRow } from '../contract.ts';
import classes from './parts.module.css';
import { Counting } from './counting.tsx';
import { api } from './queries.ts';
import { useVariantQuery } from './variant-filter.tsx';

const SORTS = ['title', 'sent'] as const;
const SHARES = ['opens', 'clicks', 'bounces', 'unsubscribes', 'complaints'] as const;

export default function GroupsScreen() {
  const t = useTexts('reports');
  const { number, percent } = useFormats();
  const id = useParam('campaign');
  const list = useListAddress({ sorts: SORTS, direction: 'asc' });
  const variant = useVariantQuery();
  const groups = useQuery({
    ...api.query('GET /client-api/api/campaigns/{id}/report/groups', {
      params: { id },
      query: { ...list.query, ...variant },
    }),
    placeholderData: keepPreviousData,
  });
  const rateOf = (row: GroupFiguresRow, name: (typeof SHARES)[number]) => {
    const { share, count } = computePartRates(row)[name];
    return `${percent(share)} (${number(count)})`;
  };
  if (groups.data?.is_counting) return <Counting />;
  return (
    <>
      <p className={classes.note}>{t('bases.part')}</p>
      <DataTable
        label={t('tabs.groups')}
        query={groups}
        list={list}
        rowId={(row) => row.group.id}
        getRowName={(row) => row.group.title}
        search={t('groups.find')}
        columns={[
          {
            id: 'title',
            header: t('groups.columns.title'),
            sort: 'title',
            cell: (row) => <bdi>{row.group.title}</bdi>,
          },
          {
            id: 'sent',
            header: t('groups.columns.sent'),
            sort: 'sent',
            align: 'end',
            cell: (row) => number(row.sent),
          },
          ...SHARES.map((name, index) => ({
            id: name,
            header: t(`groups.columns.${name}`),
            align: 'end' as const,
            isWide: index > 1,
            cell: (row: GroupFiguresRow) => rateOf(row, name),
          })),
        ]}
        empty={<EmptyState title={t('groups.empty')}>{t('groups.emptyText')}</EmptyState>}
      />
    </>
  );
}
