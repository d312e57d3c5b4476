// @vitest-environment jsdom
// Tests the shared list: its states, its selection, and its sort, search and page in the address.
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { act, fireEvent, screen, waitFor, within } from '@testing-library/react';
import { useState } from 'react';
import { afterEach, beforeAll, beforeEach, expect, it, vi } from 'vitest';
import { ApiError } from '../api-error.ts';
import { type ListAddress, useListAddress } from '../session/list-address.ts';
import { endTestApp, renderScreen, startTestApp } from '../shell/test-app.tsx';
import { DataTable, type Meta } from './data-table.tsx';
import { EmptyState } from './states.tsx';

interface Row {
  id: string;
  title: string;
  count: number;
}

const sorts = ['created', 'title'] as const;
const load = vi.fn<(query: ListAddress<object>['query']) => Promise<{ data: Row[]; meta: Meta }>>();

function List() {
  const list = useListAddress({ sorts });
  const [ids, setIds] = useState<ReadonlySet<string>>(new Set());
  const query = useQuery({
    queryKey: ['rows', list.query],
    queryFn: () => load(list.query),
    placeholderData: keepPreviousData,
    retry: false,
  });
  return (
    <DataTable
      label="Groups"
      query={query}
      list={list}
      rowId={(row: Row) => row.id}
      getRowName={(row) => row.title}
      getRowLink={(row) => `/groups/${row.id}`}
      search="Find group"
      selection={{ ids, onChange: setIds }}
      columns={[
        { id: 'title', header: 'Title', sort: 'title', cell: (row) => row.title },
        { id: 'count', header: 'Subscribers', align: 'end', cell: (row) => row.count },
      ]}
      empty={<EmptyState title="No groups yet" />}
    />
  );
}

function page(rows: number, total: number, at = 1): { data: Row[]; meta: Meta } {
  const first = (at - 1) * 10;
  return {
    data: Array.from({ length: rows }, (_, i) => ({
      id: `g${first + i}`,
      title: `Group ${first + i}`,
      count: i,
    })),
    meta: {
      from: rows ? first + 1 : null,
      to: rows ? first + rows : null,
      page: at,
      pageCount: Math.max(1, Math.ceil(total / 10)),
      total,
      perPage: 10,
    },
  };
}

beforeAll(() => startTestApp());
beforeEach(() => {
  load.mockReset();
});
afterEach(endTestApp);

it('lists, sorts, searches and changes pages through the URL', async () => {
  load.mockImplementation(async () => page(10, 1234));
  const { router } = renderScreen(List, { at: '/groups' });
  const table = await screen.findByRole('table', { name: 'Groups' });
  expect(within(table).getAllByRole('row')).toHaveLength(11);
  expect(screen.getByText('1–10 of 1,234')).toBeTruthy();
  expect(load).toHaveBeenLastCalledWith({ page: 1, order: 'created', direction: 'desc' });

  fireEvent.click(screen.getByRole('button', { name: 'Page 2' }));
  await waitFor(() => expect(load).toHaveBeenLastCalledWith(expect.objectContaining({ page: 2 })));
  fireEvent.click(screen.getByRole('button', { name: 'Title' }));
  await waitFor(() => expect(router.state.location.href).toBe('/groups?order=title&direction=asc'));
  const header = screen.getByRole('columnheader', { name: 'Title' });
  expect(header.getAttribute('aria-sort')).toBe('ascending');
  fireEvent.click(screen.getByRole('button', { name: 'Title' }));
  await waitFor(() => expect(header.getAttribute('aria-sort')).toBe('descending'));

  fireEvent.change(screen.getByRole('searchbox'), { target: { value: ' friends ' } });
  await waitFor(() =>
    expect(load).toHaveBeenLastCalledWith({
      page: 1,
      order: 'title',
      direction: 'desc',
      search: 'friends',
    }),
  );
});

it('sorts by every order through the sort control, including orders without a column', async () => {
  load.mockImplementation(async () => page(10, 12));
  const { router } = renderScreen(List, { at: '/groups' });
  const control = await screen.findByRole<HTMLSelectElement>('combobox', { name: 'Sort by' });
  expect([...control.options].map(({ text }) => text)).toEqual(['Created', 'Title']);
  expect(control.value).toBe('created');

  fireEvent.change(control, { target: { value: 'title' } });
  await waitFor(() => expect(router.state.location.href).toBe('/groups?order=title&direction=asc'));
  fireEvent.click(screen.getByRole('button', { name: 'Ascending' }));
  await waitFor(() => expect(router.state.location.href).toBe('/groups?order=title'));
  fireEvent.change(control, { target: { value: 'created' } });
  await waitFor(() => expect(router.state.location.href).toBe('/groups'));
  expect(load.mock.calls.map(([{ order, direction }]) => `${order} ${direction}`)).toEqual([
    'created desc',
    'title asc',
    'title desc',
  ]);
});

it('opens a row when it is clicked anywhere, and links to it', async () => {
  load.mockResolvedValue(page(2, 2));
  const { router } = renderScreen(List, { at: '/groups' });
  expect((await screen.findByRole('link', { name: 'Group 0' })).getAttribute('href')).toBe(
    '/groups/g0',
  );
  fireEvent.click(screen.getAllByRole('cell')[5] as HTMLElement);
  await waitFor(() => expect(router.state.location.pathname).toBe('/groups/g1'));
});

it('selects rows and the whole page', async () => {
  load.mockResolvedValue(page(3, 3));
  renderScreen(List, { at: '/groups' });
  const all = await screen.findByRole<HTMLInputElement>('checkbox', {
    name: 'Select all on this page',
  });
  fireEvent.click(screen.getByRole('checkbox', { name: 'Select Group 1' }));
  expect(all.indeterminate).toBe(true);
  fireEvent.click(all);
  const checkedBoxes = screen
    .getAllByRole<HTMLInputElement>('checkbox')
    .filter((box) => box.checked);
  expect(checkedBoxes).toHaveLength(4);
});

it('shows the empty state without a search field while the list is empty', async () => {
  load.mockResolvedValue(page(0, 0));
  renderScreen(List, { at: '/groups' });
  await screen.findByText('No groups yet');
  expect(screen.queryByRole('searchbox')).toBeNull();
});

it('offers to clear a search without results', async () => {
  load.mockImplementation(async (query) => ('search' in query ? page(0, 0) : page(1, 1)));
  const { router } = renderScreen(List, { at: '/groups?search=zzz' });
  fireEvent.click(await screen.findByRole('button', { name: 'Clear search and filters' }));
  await screen.findByText('Group 0');
  expect(router.state.location.href).toBe('/groups');
});

it('keeps the typed search, including spaces, and follows a changed URL', async () => {
  load.mockImplementation(async () => page(10, 1234));
  const { router } = renderScreen(List, { at: '/groups' });
  const field = await screen.findByRole<HTMLInputElement>('searchbox');
  fireEvent.change(field, { target: { value: 'spring ' } });
  await waitFor(() => expect(router.state.location.href).toBe('/groups?search=spring'));
  await act(async () => new Promise((resolve) => setTimeout(resolve, 50)));
  expect(field.value).toBe('spring ');
  await act(async () => router.navigate({ to: '/groups' }));
  expect(field.value).toBe('');
  await act(async () => router.navigate({ to: '/groups', search: { search: 'spring' } as never }));
  expect(field.value).toBe('spring');
});

it('goes to the last page if the current page no longer exists', async () => {
  load.mockImplementation(async (query) =>
    (query as { page: number }).page > 2 ? page(0, 20, 3) : page(10, 20, 2),
  );
  const { router } = renderScreen(List, { at: '/groups?page=3' });
  expect(await screen.findByText('Group 19')).toBeTruthy();
  expect(router.state.location.href).toBe('/groups?page=2');
  expect(screen.queryByText('Nothing found')).toBeNull();
});

it('shows the error and retries', async () => {
  const errorDetails = {
    status: 500,
    code: 'x',
    message: '',
    errors: {},
    showsServerMessage: false,
  };
  load.mockRejectedValueOnce(new ApiError(errorDetails)).mockResolvedValueOnce(page(1, 1));
  renderScreen(List, { at: '/groups' });
  fireEvent.click(await screen.findByRole('button', { name: 'Try again' }));
  expect(await screen.findByText('Group 0')).toBeTruthy();
});

it('offers page sizes for seven rows with five per page, even after the user chose ten per page', async () => {
  const paged = (rows: number, perPage: number) => {
    const { data, meta } = page(rows, 7);
    return { data, meta: { ...meta, perPage, pageCount: Math.ceil(7 / perPage) } };
  };
  load.mockImplementation(async (query) => ('limit' in query ? paged(7, 10) : paged(5, 5)));
  renderScreen(List, { at: '/groups' });
  const sizes = await screen.findByLabelText<HTMLSelectElement>('Rows per page');
  expect(sizes.value).toBe('5');
  fireEvent.change(sizes, { target: { value: '10' } });
  await screen.findByText('1–7 of 7');
  expect(screen.getByLabelText<HTMLSelectElement>('Rows per page').value).toBe('10');
  window.localStorage.clear();
});
