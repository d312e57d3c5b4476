// The list of one kind of broadcast: search and filters in the URL, pages, and the parts of its
// rows.
import { SegmentedControl, Text } from '@mantine/core';
import type { UseQueryResult } from '@tanstack/react-query';
import type { ItemPlacement } from '#areas/folders/items-contract.ts';
import type { ItemKind } from '#areas/folders/shared.ts';
import { placeParameters, toPlaceQuery, useItemList } from '#areas/folders/web/index.ts';
import type { Earned } from '#areas/stores/earned-contract.ts';
import type { ListMeta } from '#platform/contract.ts';
import { parseOneOf } from '#platform/web/api/address.ts';
import { useAmount } from '#platform/web/texts/amount.ts';
import { useFormats } from '#platform/web/texts/formats.ts';
import { useListAddress } from '#platform/web/session/list-address.ts';
import { useTexts } from '#platform/web/texts/texts.ts';
import { ListPage } from '#platform/web/ui/list-page.tsx';
import type { RowAction } from '#platform/web/ui/row-menu.tsx';
import type { EmptyState } from '#platform/web/ui/states.tsx';
import classes from './list-page.module.css';
import type { Broadcast } from './ui.ts';

const STATUSES = ['all', 'DRAFT', 'SCHEDULED', 'SENT'] as const;
const SORTS = ['created', 'modified', 'title'] as const;
const EXTRA_PARAMETERS = { status: parseOneOf(STATUSES, 'all'), ...placeParameters };

/** Returns the list's state from the URL and its query parameters. */
export function useBroadcastList() {
  const list = useListAddress({ sorts: SORTS, direction: 'desc', more: EXTRA_PARAMETERS });
  const { status } = list.values;
  const filters = status === 'all' ? {} : { status };
  return { list, query: { ...list.query, ...toPlaceQuery(list.values), ...filters } };
}

type ListRow = Pick<Broadcast, 'id' | 'title'> & { place: ItemPlacement; earned: Earned[] | null };
type Props<Item extends ListRow> = {
  rows: UseQueryResult<{ data: Item[]; meta?: ListMeta }>;
  list: ReturnType<typeof useBroadcastList>['list'];
  icon: React.ComponentProps<typeof EmptyState>['icon'];
  createPath: string;
  kind: ItemKind;
  /** The path of the list's call. */
  base: string;
  /** Shown above the list. */
  notice?: React.ReactNode;
  getPath: (broadcast: Item) => string;
  texts: {
    title: string;
    create: string;
    searchLabel: string;
    titleColumn: string;
    empty: string;
    emptyText: string;
  };
  cell: (broadcast: Item) => React.ReactNode;
  metricColumns: readonly {
    id: string;
    header: string;
    cell: (broadcast: Item) => React.ReactNode;
  }[];
  actions: RowAction<Item>[];
};

export function BroadcastsPage<Item extends ListRow>(props: Props<Item>) {
  const { rows, list, texts, cell, metricColumns, kind, base } = props;
  const t = useTexts('broadcasts');
  const items = useItemList<Item>({ kind, base }, rows.data?.data, list);
  const revenue = {
    id: 'revenue',
    header: t('list.revenue'),
    cell: (broadcast: Item) => <Revenue earned={broadcast.earned} />,
  };
  const hasRevenue = rows.data?.data.some(({ earned }) => earned !== null) === true;
  return (
    <ListPage
      title={texts.title}
      create={{ to: props.createPath, label: texts.create }}
      empty={{
        icon: props.icon,
        title: texts.empty,
        text: texts.emptyText,
        more: items.archiveLink,
      }}
      above={props.notice}
      query={rows}
      list={list}
      rowId={(broadcast) => broadcast.id}
      getRowName={(broadcast) => broadcast.title}
      getRowLink={props.getPath}
      search={texts.searchLabel}
      columns={[
        { id: 'title', header: texts.titleColumn, sort: 'title', cell },
        ...[...metricColumns, ...(hasRevenue ? [revenue] : [])].map((column) => ({
          ...column,
          align: 'end' as const,
          isWide: true,
          width: 120,
        })),
      ]}
      selection={items.selection}
      bulkActions={items.bulk}
      // Delete stays the last action.
      actions={[...props.actions.slice(0, -1), ...items.actions, ...props.actions.slice(-1)]}
      filters={
        <>
          <SegmentedControl
            size="xs"
            aria-label={t('list.filter.label')}
            value={list.values.status}
            onChange={(value) => list.set({ status: EXTRA_PARAMETERS.status.read(value) })}
            data={STATUSES.map((value) => ({ value, label: t(`list.filter.${value}`) }))}
          />
          {items.filter}
        </>
      }
    />
  );
}

type BroadcastTimes = {
  scheduled_at: string | null;
  sent_at: string | null;
  modified: string;
  series?: Broadcast['series'];
};

/**
 * Returns a function that formats when a broadcast was or will be sent; for a model of a series,
 * its next occurrence; for a draft, its last change.
 */
export function useTimeText(): (times: BroadcastTimes, zone?: string) => string {
  const t = useTexts('broadcasts');
  const { dateTime, relative } = useFormats();
  return ({ scheduled_at, sent_at, modified, series }, zone) => {
    if (series?.next_at) return t('list.when.next', { time: dateTime(series.next_at, zone) });
    return sent_at !== null
      ? t('list.when.sent', { time: dateTime(sent_at, zone) })
      : scheduled_at !== null
        ? t('list.when.scheduled', { time: dateTime(scheduled_at, zone) })
        : t('list.when.modified', { time: relative(modified) });
  };
}

/** `count` as a percentage of `total`, with the count below it; 0 % if `total` is 0. */
export function ListFigure(props: { count: number; total: number; title?: string }) {
  const { count, total, title } = props;
  const { number, percent } = useFormats();
  return (
    <span className={classes.figure} title={title}>
      <span>{percent(total === 0 ? 0 : count / total)}</span>
      <Text component="span" size="xs" c="dimmed">
        {number(count)}
      </Text>
    </span>
  );
}

/**
 * The largest amount, with the number of its orders below it; only the report shows other
 * currencies.
 */
function Revenue({ earned }: { earned: Earned[] | null }) {
  const t = useTexts('broadcasts');
  const { number } = useFormats();
  const amount = useAmount();
  const firstEarned = earned?.[0];
  if (!firstEarned) return <NoFigure />;
  return (
    <span className={classes.figure}>
      <span>
        {amount(firstEarned.revenue, firstEarned.currency, 0)}
        {earned.length > 1 && ' +'}
      </span>
      <Text component="span" size="xs" c="dimmed">
        {t('list.orders', { count: firstEarned.orders, total: number(firstEarned.orders) })}
      </Text>
    </span>
  );
}

export function NoFigure() {
  const t = useTexts('broadcasts');
  return <span aria-label={t('list.noFigure')}>–</span>;
}
