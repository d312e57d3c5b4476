// The list of one kind of broadcast: search and filters in its address, its page, the parts of its
// rows.
import { SegmentedControl, Text } from '@mantine/core';
import type { UseQueryResult } from '@tanstack/react-query';
import type { ListMeta } from '#platform/contract.ts';
import { oneOf } from '#platform/web/api/address.ts';
import { useFormats } from '#platform/web/texts/formats.ts';
import { useListAddress } from '#platform/web/session/list-address.ts';
import { useTexts } from '#platform/web/texts/texts.ts';
import type { DataTable } from '#platform/web/ui/data-table.tsx';
import { ListPage } from '#platform/web/ui/list-page.tsx';
import type { EmptyState } from '#platform/web/ui/states.tsx';
import classes from './list-page.module.css';
import type { Broadcast } from './ui.ts';

const STATUSES = ['all', 'DRAFT', 'SCHEDULED', 'SENT'] as const;
const sorts = ['created', 'modified', 'title'] as const;
const more = { status: oneOf(STATUSES, 'all') };

/** The state in the address of a list, and the parameters of its query. */
export function useBroadcastList() {
  const list = useListAddress({ sorts, direction: 'desc', more });
  const { status } = list.values;
  return { list, query: { ...list.query, ...(status === 'all' ? {} : { status }) } };
}

type Row = Pick<Broadcast, 'id' | 'title'>;
type Props<One extends Row> = {
  rows: UseQueryResult<{ data: One[]; meta?: ListMeta }>;
  list: ReturnType<typeof useBroadcastList>['list'];
  icon: React.ComponentProps<typeof EmptyState>['icon'];
  create: string;
  /** Above the list. */
  notice?: React.ReactNode;
  pathOf: (one: One) => string;
  words: {
    title: string;
    create: string;
    find: string;
    column: string;
    empty: string;
    emptyText: string;
  };
  cell: (one: One) => React.ReactNode;
  figures: readonly { id: string; header: string; cell: (one: One) => React.ReactNode }[];
  actions: React.ComponentProps<typeof DataTable<One>>['actions'];
};

export function BroadcastsPage<One extends Row>(props: Props<One>) {
  const { rows, list, words: texts, cell, figures } = props;
  const t = useTexts('broadcasts');
  return (
    <ListPage
      title={texts.title}
      create={{ to: props.create, label: texts.create }}
      empty={{ icon: props.icon, title: texts.empty, text: texts.emptyText }}
      above={props.notice}
      query={rows}
      list={list}
      rowId={(one) => one.id}
      rowName={(one) => one.title}
      rowTo={props.pathOf}
      search={texts.find}
      columns={[
        { id: 'title', header: texts.column, sort: 'title', cell },
        ...figures.map((figure) => ({
          ...figure,
          align: 'end' as const,
          isWide: true,
          width: 120,
        })),
      ]}
      actions={props.actions}
      filters={
        <SegmentedControl
          size="xs"
          aria-label={t('list.filter.label')}
          value={list.values.status}
          onChange={(value) => list.set({ status: more.status.read(value) })}
          data={STATUSES.map((value) => ({ value, label: t(`list.filter.${value}`) }))}
        />
      }
    />
  );
}

type Times = { scheduled_at: string | null; sent_at: string | null; modified: string };

/** Time of sending, past or future, or of the last change. */
export function useWhen(): (times: Times, zone?: string) => string {
  const t = useTexts('broadcasts');
  const { dateTime, relative } = useFormats();
  return ({ scheduled_at, sent_at, modified }, zone) =>
    sent_at !== null
      ? t('list.when.sent', { time: dateTime(sent_at, zone) })
      : scheduled_at !== null
        ? t('list.when.scheduled', { time: dateTime(scheduled_at, zone) })
        : t('list.when.modified', { time: relative(modified) });
}

/** The share with the count below it; a dash without data. */
export function ListFigure(props: { count: number; of: number; title?: string }) {
  const { count, of, title } = props;
  const { number, percent } = useFormats();
  return (
    <span className={classes.figure} title={title}>
      <span>{percent(of === 0 ? 0 : count / of)}</span>
      <Text component="span" size="xs" c="dimmed">
        {number(count)}
      </Text>
    </span>
  );
}

export function NoFigure() {
  const t = useTexts('broadcasts');
  return <span aria-label={t('list.noFigure')}>–</span>;
}
