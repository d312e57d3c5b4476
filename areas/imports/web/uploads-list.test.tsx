// @vitest-environment jsdom
// Waiting uploads are listed on the import screens, and can be continued, reloaded and removed. If
// an upload no longer exists, this is reported.
import { fireEvent, screen, waitFor } from '@testing-library/react';
import { afterEach, beforeAll, beforeEach, expect, it, vi } from 'vitest';
import { endTestApp, renderScreen, startTestApp } from '#platform/web/shell/test-app.tsx';
import { respondToUploads } from '#testing/setup/waiting-uploads.ts';
import FileScreen from './file-screen.tsx';
import GetresponseScreen from './getresponse-screen.tsx';
import MailchimpScreen from './mailchimp-screen.tsx';
import TextScreen from './text-screen.tsx';

const preview = {
  id: 'imp1',
  source: 'imp1',
  method: 'file',
  fileName: 'people.csv',
  rowCount: 2,
  encoding: 'utf-8',
  delimiter: ',',
  has_header: true,
  columns: [],
  rows: [['ada@example.com']],
};

const fetchMock = vi.fn<typeof fetch>();
beforeAll(() => startTestApp());
beforeEach(() => {
  fetchMock.mockReset();
  fetchMock.mockImplementation(async (input) => {
    const url = String(input instanceof Request ? input.url : input);
    const data = url.includes('/imports/limits')
      ? { file_megabytes: 64 }
      : url.includes('/preview')
        ? preview
        : url.endsWith('/api/users')
          ? { user: { id: 'u', language: 'eng' }, account: { id: 'a' } }
          : [];
    return Response.json({ data });
  });
  vi.stubGlobal('fetch', fetchMock);
});
afterEach(() => {
  endTestApp();
  vi.unstubAllGlobals();
});

it('the list shows unstarted files, which can be continued or removed', async () => {
  const defaultImplementation = fetchMock.getMockImplementation();
  const waiting = ['old.csv', 'people.csv'].map((fileName, i) => ({
    ...{ id: `imp${i}`, state: 'uploaded', method: 'file', fileName, rowCount: 2 },
    created: '2026-01-01T00:00:00.000Z',
  }));
  const removedIds: string[] = [];
  fetchMock.mockImplementation(async (input, init) => {
    const url = String(input instanceof Request ? input.url : input);
    if (init?.method === 'DELETE') removedIds.push(url.split('/').at(-1) ?? '');
    if (init?.method === 'DELETE') return Response.json({ success: true });
    if (!url.includes('/imports/uploads'))
      return defaultImplementation?.(input, init) as Promise<Response>;
    return Response.json({ data: waiting.filter(({ id }) => !removedIds.includes(id)) });
  });
  renderScreen(FileScreen, { at: '/subscribers/import/file' });
  fireEvent.click(await screen.findByRole('button', { name: 'Remove old.csv' }));
  const sure = await screen.findByRole('button', { name: 'Remove' });
  expect(removedIds).toEqual([]);
  fireEvent.click(sure);
  await waitFor(() => expect(screen.queryByText('old.csv')).toBeNull());
  expect(removedIds).toEqual(['imp0']);
  expect(await screen.findByText('“old.csv” was removed')).toBeTruthy();
  const title = screen.getByText('Not started yet');
  await waitFor(() => expect(document.activeElement).toBe(title));
  fireEvent.click(screen.getByRole('link', { name: 'Continue with people.csv' }));
  expect(await screen.findByText('Match the columns')).toBeTruthy();
  // Choosing another file does not remove this one, which may belong to another user.
  fireEvent.click(screen.getByRole('button', { name: 'Choose another file' }));
  expect(await screen.findByText('people.csv')).toBeTruthy();
  expect(removedIds).toEqual(['imp0']);
});

it.each([
  ['file', FileScreen],
  ['text', TextScreen],
  ['mailchimp', MailchimpScreen],
  ['getresponse', GetresponseScreen],
])('the %s screen lists all waiting uploads, with links to their screens', async (at, Screen) => {
  const error = { code: 'key_refused', message: 'GetResponse does not accept this key.' };
  const waiting = [
    { id: 'imp1', state: 'uploaded', method: 'file', fileName: 'people.csv' },
    { id: 'imp2', state: 'uploaded', method: 'text', fileName: '' },
    { id: 'imp3', state: 'uploaded', method: 'mailchimp', fileName: 'Mailchimp' },
    { id: 'imp4', state: 'fetching', method: 'getresponse', fileName: 'GetResponse' },
    { id: 'imp5', state: 'fetch_failed', method: 'getresponse', fileName: 'GetResponse', error },
  ].map((upload) => ({ ...upload, rowCount: 2, created: '2026-01-01T00:00:00.000Z' }));
  let isDown = true;
  respondToUploads(fetchMock, () =>
    isDown ? new Response('{}', { status: 500 }) : Response.json({ data: waiting }),
  );
  renderScreen(Screen, { at: `/subscribers/import/${at}` });
  const retryButton = await screen.findByRole('button', { name: 'Try again' });
  isDown = false;
  fireEvent.click(retryButton);
  const links = await screen.findAllByRole('link', { name: /^Continue with/ });
  expect(links.map((link) => [link.getAttribute('aria-label'), link.getAttribute('href')])).toEqual(
    [
      ['Continue with people.csv', '/subscribers/import/file?source=imp1'],
      ['Continue with Pasted list', '/subscribers/import/text?source=imp2'],
      ['Continue with Mailchimp', '/subscribers/import/mailchimp?source=imp3'],
      ['Continue with GetResponse', '/subscribers/import/getresponse?source=imp4'],
    ],
  );
  expect(screen.getByText(/Fetching subscribers from GetResponse/)).toBeTruthy();
  expect(screen.getByText(/The subscribers could not be fetched/)).toBeTruthy();
  expect(screen.getByText(error.message)).toBeTruthy();
  // The GetResponse screen needs no such link because it has the field for the key.
  const retry = screen.queryByRole('link', { name: 'Start again with GetResponse' });
  expect(retry?.getAttribute('href')).toBe(
    at === 'getresponse' ? undefined : '/subscribers/import/getresponse',
  );
  expect(screen.getAllByRole('button', { name: 'Remove GetResponse' })).toHaveLength(2);
});

it.each([
  ['This file is no longer available', 'Choose another file', 'file', FileScreen],
  ['This list is no longer available', 'Change the list', 'text', TextScreen],
  [
    'What was fetched from Mailchimp is no longer available',
    'Start again',
    'mailchimp',
    MailchimpScreen,
  ],
])('the screen shows “%s” if the upload no longer exists', async (message, label, at, Screen) => {
  const defaultImplementation = fetchMock.getMockImplementation();
  fetchMock.mockImplementation(async (input, init) =>
    String(input).includes('/imports/imp9/')
      ? Response.json({ code: 'not_found', message: 'Not found.' }, { status: 404 })
      : (defaultImplementation?.(input, init) as Promise<Response>),
  );
  renderScreen(Screen, { at: `/subscribers/import/${at}?source=imp9` });
  expect(await screen.findByText(message)).toBeTruthy();
  expect(screen.getByRole('button', { name: label })).toBeTruthy();
});

it.each([
  ['file', FileScreen],
  ['text', TextScreen],
  ['getresponse', GetresponseScreen],
])('the %s screen reloads the waiting uploads when their limit is reached', async (at, Screen) => {
  const pastedList = { id: 'imp2', state: 'uploaded', method: 'text', fileName: '', rowCount: 2 };
  let waiting: object[] = [];
  respondToUploads(fetchMock, () => Response.json({ data: waiting }));
  const defaultImplementation = fetchMock.getMockImplementation();
  fetchMock.mockImplementation(async (input, init) => {
    if (init?.method !== 'POST') return defaultImplementation?.(input, init) as Promise<Response>;
    waiting = [{ ...pastedList, created: '2026-01-01T00:00:00.000Z' }];
    const body = { code: 'too_many_uploads', message: 'You have 20 files.', raw_message: true };
    return Response.json(body, { status: 409 });
  });
  renderScreen(Screen, { at: `/subscribers/import/${at}` });
  if (at === 'file') {
    const input = await screen.findByLabelText('Choose a file', { selector: 'input' });
    fireEvent.change(input, { target: { files: [new File(['email'], 'people.csv')] } });
  } else {
    const field = await screen.findByLabelText(/Subscribers|API key$/);
    fireEvent.change(field, { target: { value: 'ada@example.com' } });
    fireEvent.click(screen.getByRole('button', { name: /Continue|Fetch subscribers/ }));
  }
  expect(await screen.findByRole('button', { name: 'Remove Pasted list' })).toBeTruthy();
});
