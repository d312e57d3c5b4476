// @vitest-environment jsdom
// The export dialog sends selection, format and columns; the list downloads a file by a fresh link;
// and the download page saves the file or reports that the link has expired.
import { fireEvent, screen, waitFor } from '@testing-library/react';
import { afterEach, beforeAll, beforeEach, expect, it, vi } from 'vitest';
import {
  endTestApp,
  renderComponent,
  renderScreen,
  startTestApp,
} from '#platform/web/shell/test-app.tsx';
import DownloadScreen from './download-screen.tsx';
import ExportsScreen from './exports-screen.tsx';
import { followExport } from './follow-export.ts';
import { ExportButton } from './index.ts';

const hash = 'h'.repeat(43);
const finishedExport = {
  id: 'exp1',
  state: 'finished',
  format: 'csv',
  total: 3,
  row_count: 3,
  size: 2048,
  column_count: 2,
  choice: 'filter',
  search: 'ada',
  error: null,
  created: '2026-01-01T00:00:00.000Z',
  finished: '2026-01-01T00:00:01.000Z',
  expires: '2026-01-08T00:00:01.000Z',
};

const fetchMock = vi.fn<typeof fetch>();
const savedUrls: string[] = [];
let isLinkExpired = false;

beforeAll(() => startTestApp());
beforeEach(() => {
  savedUrls.length = 0;
  isLinkExpired = false;
  fetchMock.mockReset();
  fetchMock.mockImplementation(async (input, init) => {
    const url = String(input instanceof Request ? input.url : input);
    if (url.includes('/downloads/') && isLinkExpired)
      return new Response('{"code":"link_expired","message":"Gone"}', { status: 410 });
    const body = url.includes('/link')
      ? { data: { hash, path: `/download/${hash}`, expires: finishedExport.expires } }
      : url.includes('/downloads/')
        ? { data: { ...finishedExport, file_name: 'subscribers-2026-01-01.csv' } }
        : url.includes('/fields')
          ? { data: [{ id: 'f1', title: 'City', name: 'city', type: 'text' }] }
          : url.includes('/exports') && init?.method !== 'POST' && !/exports\/exp1/.test(url)
            ? {
                data: [finishedExport],
                meta: { from: 1, to: 1, page: 1, pageCount: 1, total: 1, perPage: 10 },
              }
            : { data: finishedExport };
    return new Response(JSON.stringify(body), { status: 200 });
  });
  vi.stubGlobal('fetch', fetchMock);
  vi.spyOn(HTMLAnchorElement.prototype, 'click').mockImplementation(function (
    this: HTMLAnchorElement,
  ) {
    if (this.hasAttribute('download')) savedUrls.push(this.getAttribute('href') ?? '');
  });
});
afterEach(() => {
  endTestApp();
  vi.unstubAllGlobals();
  vi.restoreAllMocks();
});

it('the export dialog sends selection, format and columns', async () => {
  renderComponent(<ExportButton choice={{ conditions: 'c', search: 'ada' }} count={3} />);
  fireEvent.click(await screen.findByRole('button', { name: 'Export' }));
  fireEvent.click(await screen.findByLabelText('Excel (XLSX)'));
  fireEvent.click(screen.getByRole('button', { name: 'Choose all' }));
  fireEvent.click(screen.getByRole('button', { name: 'Choose none' }));
  expect(screen.getByText('Choose at least one column.')).toBeTruthy();
  fireEvent.click(screen.getByLabelText('City'));
  fireEvent.click(screen.getByLabelText('Email'));
  const buttons = screen.getAllByRole('button', { name: 'Export' });
  fireEvent.click(buttons.at(-1) as HTMLElement);
  const findPostedBody = () =>
    fetchMock.mock.calls.find(([, init]) => init?.method === 'POST')?.[1]?.body;
  await waitFor(() => expect(findPostedBody()).toBeTruthy());
  expect(JSON.parse(String(findPostedBody()))).toEqual({
    conditions: 'c',
    search: 'ada',
    format: 'xlsx',
    columns: ['email', 'f1'],
  });
});

it('the dialog offers a retry if the columns could not be loaded', async () => {
  const implementation = fetchMock.getMockImplementation();
  fetchMock.mockImplementation(async () => new Response('{}', { status: 500 }));
  renderComponent(<ExportButton choice={{ conditions: 'c' }} count={3} />);
  fireEvent.click(await screen.findByRole('button', { name: 'Export' }));
  const retryButton = await screen.findByRole('button', { name: 'Try again' });
  if (implementation) fetchMock.mockImplementation(implementation);
  fireEvent.click(retryButton);
  expect(await screen.findByLabelText('City')).toBeTruthy();
});

it('the list downloads a file through a fresh link', async () => {
  renderScreen(ExportsScreen, { at: '/subscribers/exports' });
  fireEvent.click(await screen.findByRole('button', { name: 'Download' }));
  await waitFor(() => expect(savedUrls).toEqual([`/client-api/api/downloads/${hash}/file`]));
});

it('the name of an export contains the number of its subscribers, once known', async () => {
  const implementation = fetchMock.getMockImplementation();
  const jobs = [
    { ...finishedExport, total: 1_250, row_count: 1_234 },
    { ...finishedExport, id: 'exp2', state: 'running', choice: 'all', search: null, total: 9_000 },
    { ...finishedExport, id: 'exp3', state: 'queued', choice: 'named', search: null, total: null },
  ];
  const meta = { from: 1, to: 3, page: 1, pageCount: 1, total: 3, perPage: 10 };
  fetchMock.mockImplementation(async (input, init) =>
    String(input).includes('/exports?')
      ? Response.json({ data: jobs, meta })
      : ((await implementation?.(input, init)) ?? Response.error()),
  );
  renderScreen(ExportsScreen, { at: '/subscribers/exports' });
  expect(await screen.findByText(/^Filtered subscribers \(1,234\)/)).toBeTruthy();
  expect(screen.getByText('All subscribers (9,000)')).toBeTruthy();
  expect(screen.getByText('Selected subscribers')).toBeTruthy();
  const menu = { name: /Filtered subscribers \(1,234\), CSV/ };
  expect(screen.getByRole('button', menu)).toBeTruthy();
});

it('the download page saves the file and reports the download', async () => {
  renderScreen(DownloadScreen, { at: `/download/${hash}`, path: '/download/$hash' });
  await waitFor(() => expect(savedUrls).toEqual([`/client-api/api/downloads/${hash}/file`]));
  expect(
    await screen.findByText(/The download of subscribers-2026-01-01.csv has started/),
  ).toBeTruthy();
});

it('an expired link is reported and saves nothing', async () => {
  isLinkExpired = true;
  renderScreen(DownloadScreen, { at: `/download/${hash}`, path: '/download/$hash' });
  expect(await screen.findByText('This link no longer works')).toBeTruthy();
  expect(savedUrls).toEqual([]);
});

it('a finished export is announced even if an earlier poll failed', async () => {
  fetchMock.mockResolvedValueOnce(new Response('', { status: 502 }));
  renderComponent(null);
  followExport('exp1');
  expect(await screen.findByRole('button', { name: 'Download' })).toBeTruthy();
});
