// The shared list: columns, sort, search, pages, row menus, and its empty, loading and failed
// states. Page, sort and search are stored in the address (useListAddress).
import { Button, Checkbox, NativeSelect, UnstyledButton } from '@mantine/core';
import { IconArrowDown, IconArrowUp } from '@tabler/icons-react';
import type { UseQueryResult } from '@tanstack/react-query';
import { Link, useNavigate } from '@tanstack/react-router';
import { type ReactNode, useEffect, useRef } from 'react';
import { useFormats } from '../texts/formats.ts';
import { type Direction, type ListAddress, PAGE_SIZES } from '../session/list-address.ts';
import { useTexts } from '../texts/texts.ts';
import classes from './data-table.module.css';
import { PageLinks } from './page-links.tsx';
import { type RowAction, RowMenu } from './row-menu.tsx';
import { SearchField } from './search-field.tsx';
import { type SortChoice, SortControl } from './sort-control.tsx';
import { EmptyState, FailedState, LoadingState } from './states.tsx';

export interface TableColumn<Row> {
  id: string;
  header: string;
  cell: (row: Row) => ReactNode;
  /** end: numbers. */
  align?: 'end';
  /** The column's value of the call's `order` parameter; a column without one cannot be sorted. */
  sort?: string;
  width?: number | string;
  /** Hidden in windows of at most 640 px. */
  isWide?: boolean;
}

export interface Meta {
  from: number | null;
  to: number | null;
  page: number;
  pageCount: number;
  total: number;
  perPage: number;
}

export interface RowSelection {
  ids: ReadonlySet<string>;
  onChange: (ids: ReadonlySet<string>) => void;
}

export interface DataTableProps<Row> {
  /** Names the list for screen readers. */
  label: string;
  query: UseQueryResult<{ data: Row[]; meta?: Meta | undefined }>;
  list: ListAddress<never> | ListAddress<object>;
  columns: TableColumn<Row>[];
  rowId: (row: Row) => string;
  /** Returns the row's name for the labels of its menu and its checkbox. */
  getRowName: (row: Row) => string;
  /** Returns the row's link, if any. A click anywhere in the row follows it. */
  getRowLink?: (row: Row) => string | undefined;
  /** Opens the row in place if it has no separate page. */
  onOpen?: (row: Row) => void;
  actions?: RowAction<Row>[];
  /** Label of the search box; without a label, there is no search box. */
  search?: string;
  /** Filters beside the search box. */
  filters?: ReactNode;
  /** Replaces search and filters while rows are selected. */
  bulkActions?: ReactNode;
  selection?: RowSelection;
  /** Shown while the list has no entries at all. */
  empty: ReactNode;
}

/** The smallest page size that a list has by default. */
const MIN_PAGE_SIZE = 5;

export function DataTable<Row>(props: DataTableProps<Row>) {
  const { query, list, search, filters, bulkActions, empty } = props;
  const sorts = useSortChoices(props);
  const values = list.values as { search: string };
  const setSearch = list.set as unknown as (
    change: { search: string },
    how: { replace: boolean },
  ) => void;
  const isBare = query.data?.data.length === 0 && !list.isFiltered && hasNoEntries(query.data.meta);
  if (isBare) return <div className={classes.panel}>{empty}</div>;
  return (
    <>
      {bulkActions ??
        ((search || filters || sorts.length > 1) && (
          <div className={classes.tools}>
            {search && (
              <SearchField
                className={classes.search}
                label={search}
                value={values.search}
                onChange={(term) => setSearch({ search: term }, { replace: true })}
              />
            )}
            {filters}
            {sorts.length > 1 && <Sorting choices={sorts} list={list} />}
          </div>
        ))}
      <div className={classes.panel} data-stale={query.isPlaceholderData || undefined}>
        <Content {...props} />
      </div>
    </>
  );
}

const COMMON_SORTS = new Set(['title', 'created', 'modified']);

/** Lists sort orders. An order by a column has the column's header as its label. */
function useSortChoices<Row>({ list, columns }: DataTableProps<Row>): SortChoice[] {
  const t = useTexts('platform');
  return list.sorts.flatMap((order): SortChoice[] => {
    const column = columns.find(({ sort }) => sort === order);
    if (column) return [{ order, label: column.header, direction: firstDirection(column) }];
    const direction = order === 'title' ? 'asc' : 'desc';
    return COMMON_SORTS.has(order) ? [{ order, label: t(`sort.${order}`), direction }] : [];
  });
}

/** Numbers and times start with the highest, names with the first letter. */
function firstDirection({ align, sort }: Pick<TableColumn<unknown>, 'align' | 'sort'>): Direction {
  return align === 'end' || sort === 'created' || sort === 'modified' ? 'desc' : 'asc';
}

function Sorting(props: { choices: SortChoice[]; list: DataTableProps<unknown>['list'] }) {
  const { order, direction } = props.list.values as { order: string; direction: Direction };
  const setOrder = props.list.set as unknown as (change: {
    order?: string;
    direction: Direction;
  }) => void;
  return (
    <SortControl
      className={classes.sorting}
      choices={props.choices}
      order={order}
      direction={direction}
      onChange={setOrder}
    />
  );
}

function Content<Row>(props: DataTableProps<Row>) {
  const t = useTexts('platform');
  const { query, list } = props;
  if (query.isError && !query.data) {
    return <FailedState error={query.error} retry={() => void query.refetch()} />;
  }
  if (!query.data) return <Loading />;
  const { meta } = query.data;
  if (meta && meta.total > 0 && meta.page > meta.pageCount) {
    return <PastTheEnd last={meta.pageCount} list={list} />;
  }
  if (query.data.data.length === 0) {
    return (
      <EmptyState
        title={t('table.nothingFound')}
        action={
          <Button variant="default" onClick={() => clear(list)}>
            {t('table.clear')}
          </Button>
        }
      />
    );
  }
  return (
    <>
      <div className={classes.scroll}>
        <table className={classes.table} aria-label={props.label}>
          <Head {...props} />
          <tbody>
            {query.data.data.map((row) => (
              <Line key={props.rowId(row)} row={row} table={props} />
            ))}
          </tbody>
        </table>
      </div>
      {meta && <Pages meta={meta} list={list} />}
    </>
  );
}

function Loading() {
  return (
    <div className={classes.loading}>
      <LoadingState rows={6} />
    </div>
  );
}

/** Offers the last page instead of a page that no longer exists. */
function PastTheEnd({
  last: lastPage,
  list,
}: {
  last: number;
  list: DataTableProps<unknown>['list'];
}) {
  const { set } = list as unknown as {
    set: (change: { page: number }, how: { replace: boolean }) => void;
  };
  const latestSet = useRef(set);
  latestSet.current = set;
  useEffect(() => latestSet.current({ page: lastPage }, { replace: true }), [lastPage]);
  return <Loading />;
}

function Head<Row>({ columns, actions, selection, query, rowId, list }: DataTableProps<Row>) {
  const t = useTexts('platform');
  const ids = query.data?.data.map(rowId) ?? [];
  const selectedCount = ids.filter((id) => selection?.ids.has(id)).length;
  return (
    <thead>
      <tr>
        {selection && (
          <th className={classes.tick}>
            <label className={classes.tickTarget}>
              <Checkbox
                size="xs"
                aria-label={t('table.selectPage')}
                checked={selectedCount > 0 && selectedCount === ids.length}
                indeterminate={selectedCount > 0 && selectedCount < ids.length}
                onChange={(event) =>
                  selection.onChange(toggleIds(selection.ids, ids, event.currentTarget.checked))
                }
              />
            </label>
          </th>
        )}
        {columns.map((column) => (
          <HeadCell key={column.id} column={column} list={list} />
        ))}
        {actions && (
          <th className={classes.last}>
            <span className={classes.hidden}>{t('table.actions')}</span>
          </th>
        )}
      </tr>
    </thead>
  );
}

function HeadCell<Row>({
  column,
  list,
}: {
  column: TableColumn<Row>;
  list: DataTableProps<Row>['list'];
}) {
  const { order, direction } = list.values as { order: string; direction: Direction };
  const setOrder = list.set as unknown as (change: { order: string; direction: Direction }) => void;
  const isSorted = column.sort !== undefined && column.sort === order;
  const Arrow = direction === 'asc' ? IconArrowUp : IconArrowDown;
  return (
    <th
      style={column.width === undefined ? undefined : { width: column.width }}
      data-align={column.align}
      data-wide={column.isWide || undefined}
      className={classes.cell}
      aria-sort={isSorted ? (direction === 'asc' ? 'ascending' : 'descending') : undefined}
    >
      {column.sort === undefined ? (
        column.header
      ) : (
        <UnstyledButton
          className={classes.sort}
          onClick={() =>
            setOrder({
              order: column.sort ?? '',
              direction: isSorted
                ? direction === 'asc'
                  ? 'desc'
                  : 'asc'
                : column.align === 'end'
                  ? 'desc'
                  : 'asc',
            })
          }
        >
          {column.header}
          {isSorted && <Arrow size={14} stroke={2} aria-hidden="true" />}
        </UnstyledButton>
      )}
    </th>
  );
}

function Line<Row>({ row, table }: { row: Row; table: DataTableProps<Row> }) {
  const t = useTexts('platform');
  const navigate = useNavigate();
  const { columns, getRowLink, onOpen, rowId, getRowName, actions, selection } = table;
  const id = rowId(row);
  const to = getRowLink?.(row);
  return (
    <tr
      className={classes.row}
      data-opens={to || onOpen ? true : undefined}
      onClick={(event) => {
        // Links, buttons and selected text keep their own behavior.
        if ((event.target as Element).closest('a, button, input, label')) return;
        if (String(getSelection() ?? '') !== '') return;
        if (to) void navigate({ to });
        else onOpen?.(row);
      }}
    >
      {selection && (
        <td>
          <label className={classes.tickTarget}>
            <Checkbox
              size="xs"
              aria-label={t('table.selectRow', { name: getRowName(row) })}
              checked={selection.ids.has(id)}
              onChange={(event) =>
                selection.onChange(toggleIds(selection.ids, [id], event.currentTarget.checked))
              }
            />
          </label>
        </td>
      )}
      {columns.map((column, index) => (
        <td
          key={column.id}
          className={classes.cell}
          data-align={column.align}
          data-wide={column.isWide || undefined}
        >
          {index === 0 && to ? (
            <Link to={to} className={classes.title}>
              {column.cell(row)}
            </Link>
          ) : index === 0 && onOpen ? (
            <button type="button" className={classes.title} onClick={() => onOpen(row)}>
              {column.cell(row)}
            </button>
          ) : (
            column.cell(row)
          )}
        </td>
      ))}
      {actions && (
        <td className={classes.menu}>
          <RowMenu row={row} name={getRowName(row)} actions={actions} />
        </td>
      )}
    </tr>
  );
}

function Pages({ meta, list }: { meta: Meta; list: DataTableProps<unknown>['list'] }) {
  const t = useTexts('platform');
  const { number } = useFormats();
  const setPage = list.set as unknown as (change: { page: number }) => void;
  const hasSizes =
    meta.total > PAGE_SIZES[0] ||
    meta.total > meta.perPage ||
    (list.isSizeChosen && meta.total > MIN_PAGE_SIZE);
  return (
    <div className={classes.pages}>
      <span className={classes.range}>
        {t('table.range', {
          from: number(meta.from ?? 0),
          to: number(meta.to ?? 0),
          count: meta.total,
          total: number(meta.total),
        })}
      </span>
      {hasSizes && <PageSize size={meta.perPage} onChange={list.setPageSize} />}
      {meta.pageCount > 1 && (
        <PageLinks total={meta.pageCount} page={meta.page} onChange={(page) => setPage({ page })} />
      )}
    </div>
  );
}

function PageSize({ size, onChange }: { size: number; onChange: (size: number) => void }) {
  const t = useTexts('platform');
  const { number } = useFormats();
  const sizes = [...new Set([...PAGE_SIZES, size])].sort((a, b) => a - b);
  return (
    <NativeSelect
      size="xs"
      aria-label={t('table.sizes')}
      value={String(size)}
      onChange={(event) => onChange(Number(event.currentTarget.value))}
      data={sizes.map((size) => ({
        value: String(size),
        label: t('table.size', { size: number(size) }),
      }))}
    />
  );
}

function hasNoEntries(meta: Meta | undefined): boolean {
  return meta === undefined || meta.total === 0;
}

function clear(list: DataTableProps<unknown>['list']): void {
  const setParams = list.set as unknown as (change: Record<string, unknown>) => void;
  const { page: _, order: __, direction: ___, ...filters } = list.values as Record<string, unknown>;
  setParams(Object.fromEntries(Object.keys(filters).map((name) => [name, undefined])));
}

function toggleIds(
  ids: ReadonlySet<string>,
  changedIds: string[],
  isIn: boolean,
): ReadonlySet<string> {
  const next = new Set(ids);
  for (const id of changedIds) {
    if (isIn) next.add(id);
    else next.delete(id);
  }
  return next;
}
