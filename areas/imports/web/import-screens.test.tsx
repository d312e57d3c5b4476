// @vitest-environment jsdom
// The import screens: upload of a file, mapping of columns, the consent question, the start, and
// the result.
import { fireEvent, screen, waitFor, within } from '@testing-library/react';
import { afterEach, beforeAll, beforeEach, expect, it, vi } from 'vitest';
import { endTestApp, renderScreen, startTestApp } from '#platform/web/shell/test-app.tsx';
import { respondToUploads } from '#testing/setup/waiting-uploads.ts';
import FileScreen from './file-screen.tsx';
import GetresponseScreen from './getresponse-screen.tsx';
import ImportedScreen from './imported-screen.tsx';
import MailchimpScreen from './mailchimp-screen.tsx';
import TextScreen from './text-screen.tsx';

const browser = vi.hoisted(() => ({ saved: undefined as unknown }));
vi.mock('#platform/web/unsaved.ts', async (load) => ({
  ...(await load<typeof import('#platform/web/unsaved.ts')>()),
  readUnsaved: async () => undefined,
  saveUnsaved: async (_owner: string, _name: string, edit: unknown) => {
    browser.saved = edit;
  },
}));

const preview = {
  id: 'imp1',
  source: 'imp1',
  method: 'file',
  fileName: 'people.csv',
  rowCount: 2,
  encoding: 'utf-8',
  delimiter: ',',
  has_header: true,
  header_row: 1,
  service: null as string | null,
  file_status: null as string | null,
  columns: ['email', 'firstname'].map((target, column) => ({
    column,
    title: target === 'email' ? 'Address' : 'Name',
    target,
    type: 'text',
    is_own: false,
    is_opt_out: false,
    is_filled: true,
    date_order: 'day-first',
    decimal_mark: '.',
  })),
  rows: [['ada@example.com', 'Ada']],
};
const forecast = {
  state: 'finished',
  rowCount: 2,
  rows_read: 2,
  created_count: 0,
  updated_count: 1,
  unchanged_count: 0,
  rejected_count: 1,
  kept_count: 0,
  rejected: [{ reason: 'email_missing_at', message: 'The email address has no @.', count: 1 }],
  noted: [],
  checks: [],
  groups: [
    { title: 'VIP', is_new: true, people_count: 1204 },
    { title: 'Friends', is_new: false, people_count: 1 },
    { title: 'Old', is_new: false, people_count: 0 },
  ],
  samples: [
    {
      name: 'ada@example.com',
      changes: [{ target: 'firstname', title: null, before: 'Adah', after: 'Ada' }],
    },
  ],
};
const finishedImport = {
  id: 'imp1',
  state: 'finished',
  method: 'file',
  fileName: 'people.csv',
  source: 'imp1',
  rowCount: 2,
  columns: [],
  emailColumn: 0,
  phoneColumn: null,
  matchedColumns: 2,
  tags: [{ id: 'g', title: 'Friends' }],
  rows_read: 2,
  created_count: 1,
  updated_count: 0,
  unchanged_count: 0,
  rejected_count: 1,
  noted_count: 0,
  error: null,
  rejected_until: '2099-01-31T00:00:01.000Z' as string | null,
  undoable_until: '2099-01-08T00:00:01.000Z',
  undo: null as object | null,
  created: '2026-01-01T00:00:00.000Z',
  started: '2026-01-01T00:00:00.000Z',
  finished: '2026-01-01T00:00:01.000Z',
};

const undone = {
  ...finishedImport,
  undoable_until: null,
  undo: {
    state: 'finished',
    removed_count: 1,
    restored_count: 0,
    left_groups_count: 0,
    kept_count: 2,
    kept: [{ reason: 'changed_since', count: 2 }],
    finished: '2026-01-02T00:00:00.000Z',
  },
};

const fetchMock = vi.fn<typeof fetch>();
beforeAll(() => startTestApp());
beforeEach(() => {
  fetchMock.mockReset();
  fetchMock.mockImplementation(async (input) => {
    const url = String(input instanceof Request ? input.url : input);
    const body = url.includes('/import_file')
      ? { data: preview }
      : url.includes('/imports/uploads')
        ? { data: [] }
        : url.includes('/imports/limits')
          ? { data: { file_megabytes: 64 } }
          : url.includes('/forecast')
            ? { data: forecast }
            : url.includes('/undo')
              ? { data: undone }
              : url.includes('/start_import') || /\/imports\/imp1$/.test(url)
                ? { data: finishedImport }
                : url.includes('/preview')
                  ? { data: preview }
                  : url.includes('/api/imports')
                    ? {
                        data: [finishedImport],
                        meta: { from: 1, to: 1, page: 1, pageCount: 1, total: 1, perPage: 10 },
                      }
                    : url.endsWith('/api/users')
                      ? { data: { user: { id: 'u', language: 'eng' }, account: { id: 'a' } } }
                      : { data: [] };
    return new Response(JSON.stringify(body), { status: 200 });
  });
  vi.stubGlobal('fetch', fetchMock);
});
afterEach(() => {
  endTestApp();
  vi.unstubAllGlobals();
});

function callTo(path: string): unknown {
  const call = fetchMock.mock.calls.find(([input]) => String(input).includes(path));
  return call?.[1]?.body;
}

it('the file screen uploads a file, requires consent, and sends the mapped columns', async () => {
  renderScreen(FileScreen, { at: '/subscribers/import/file' });
  const input = await screen.findByLabelText('Choose a file', { selector: 'input' });
  expect(await screen.findByText(/up to 64 MB/)).toBeTruthy();
  fireEvent.change(input, { target: { files: [new File(['email'], 'people.csv')] } });
  expect(await screen.findByText('Match the columns')).toBeTruthy();
  expect(callTo('/import_file')).toBeInstanceOf(FormData);
  fireEvent.click(screen.getByRole('button', { name: 'Preview changes' }));
  expect(await screen.findByText('Adah')).toBeTruthy();
  expect(screen.getByText('The email address has no @.')).toBeTruthy();
  const start = screen.getByRole('button', { name: 'Import 2 rows' });
  fireEvent.click(start);
  expect(
    await screen.findByText('Confirm that these people agreed to hear from you.'),
  ).toBeTruthy();
  expect(callTo('/start_import')).toBeUndefined();
  fireEvent.click(screen.getByLabelText(/These people agreed/));
  fireEvent.click(start);
  await waitFor(() => expect(callTo('/start_import')).toBeTruthy());
  expect(JSON.parse(String(callTo('/start_import')))).toMatchObject({
    source: 'imp1',
    emailColumn: 0,
    columns: [
      { column: 0, target: 'email' },
      { column: 1, target: 'firstname' },
    ],
    consent: { attested: true, channels: ['email'] },
  });
});

it('an import does not start until the user decides about an opt-out column', async () => {
  const optOutColumn = {
    ...preview.columns[1],
    column: 2,
    title: 'Newsletter',
    target: 'skip',
    is_opt_out: true,
  };
  const previewData = { ...preview, columns: [...preview.columns, optOutColumn] };
  const respondByDefault = fetchMock.getMockImplementation() as typeof fetch;
  fetchMock.mockImplementation(async (input, init) =>
    String(input).includes('/preview')
      ? new Response(JSON.stringify({ data: previewData }), { status: 200 })
      : respondByDefault(input, init),
  );
  renderScreen(FileScreen, { at: '/subscribers/import/file?source=imp1' });
  expect(await screen.findByText('“Newsletter” seems to say who opted out')).toBeTruthy();
  fireEvent.click(screen.getByLabelText(/These people agreed/));
  fireEvent.click(screen.getByRole('button', { name: 'Import 2 rows' }));
  expect(await screen.findByText(/^Answer who opted out/)).toBeTruthy();
  expect(callTo('/start_import')).toBeUndefined();
  fireEvent.click(screen.getByRole('button', { name: 'It is about something else' }));
  fireEvent.click(screen.getByRole('button', { name: 'Import 2 rows' }));
  await waitFor(() => expect(callTo('/start_import')).toBeTruthy());
  expect(JSON.parse(String(callTo('/start_import')))).toMatchObject({ ignored_opt_outs: [2] });
});

it('the screen that asks for an API key also links to the import of an exported file', async () => {
  renderScreen(MailchimpScreen, { at: '/subscribers/import/mailchimp' });
  expect(await screen.findByText(/Choose the downloaded ZIP as it is/)).toBeTruthy();
  const link = screen.getByRole('link', { name: 'Import the file without a key' });
  expect(link.getAttribute('href')).toContain('/subscribers/import/switch');
});

it('the import screens list each source with a hint about what it requires', async () => {
  renderScreen(FileScreen, { at: '/subscribers/import/file' });
  const choice = within(await screen.findByRole('navigation', { name: 'What do you have?' }));
  const sources = choice.getAllByRole('link').map((link) => {
    const hint = document.getElementById(link.getAttribute('aria-describedby') ?? '');
    return [link.getAttribute('href')?.split('/').at(-1), hint?.textContent];
  });
  expect(sources).toEqual([
    ['file', 'A CSV or XLSX file, or a ZIP of lists'],
    ['text', 'Addresses in an email, a document or a sheet'],
    ['switch', 'A file exported there, such as the ZIP from Mailchimp, and your templates'],
    ['mailchimp', 'A Mailchimp API key'],
    ['getresponse', 'A GetResponse API key'],
  ]);
});

it('the file screen names an exported file, its service and the number of rows', async () => {
  const previewData = {
    ...preview,
    ...{ fileName: 'audience_export_1a2b.zip', service: 'mailchimp', rowCount: 1_540 },
  };
  const respondByDefault = fetchMock.getMockImplementation() as typeof fetch;
  fetchMock.mockImplementation(async (input, init) =>
    String(input).includes('/preview')
      ? Response.json({ data: previewData })
      : respondByDefault(input, init),
  );
  renderScreen(FileScreen, { at: '/subscribers/import/file?source=imp1' });
  const name = await screen.findByRole('heading', { name: 'audience_export_1a2b.zip' });
  expect(name.nextElementSibling?.textContent).toBe('1,540 rows');
  expect(screen.getByText('Mailchimp export recognized')).toBeTruthy();
  expect(screen.getByRole('button', { name: 'Import 1,540 rows' })).toBeTruthy();
});

it('the result screen links to the rejected rows, and shows when they will be deleted', async () => {
  renderScreen(ImportedScreen, { at: '/subscribers/imported_subscribers?import=imp1' });
  const link = await screen.findByRole('link', { name: 'Download 1 row with its reason' });
  expect(link.getAttribute('href')).toBe('/client-api/api/imports/imp1/rejected.csv');
  expect(screen.getByText('Joined: Friends')).toBeTruthy();
  expect(screen.getByText(/are kept until .*2099/)).toBeTruthy();
});

it('the result screen shows that rejected rows were deleted', async () => {
  const rejectedUntil = finishedImport.rejected_until;
  finishedImport.rejected_until = null;
  renderScreen(ImportedScreen, { at: '/subscribers/imported_subscribers?import=imp1' });
  expect(await screen.findByText(/The rows and their reasons were deleted/)).toBeTruthy();
  expect(screen.queryByRole('link', { name: /Download/ })).toBeNull();
  finishedImport.rejected_until = rejectedUntil;
});

it('the result screen offers to undo the import and shows how many subscribers were removed or left unchanged', async () => {
  renderScreen(ImportedScreen, { at: '/subscribers/imported_subscribers?import=imp1' });
  fireEvent.click(await screen.findByRole('button', { name: 'Undo this import' }));
  finishedImport.undo = undone.undo;
  fireEvent.click(await screen.findByRole('button', { name: 'Undo import' }));
  expect(await screen.findByText('This import was undone')).toBeTruthy();
  expect(screen.getByText('1 subscriber removed')).toBeTruthy();
  expect(screen.getByText('2 were changed since and keep the change')).toBeTruthy();
  finishedImport.undo = null;
});

it('the result screen reports a stopped undo and offers to continue it', async () => {
  finishedImport.undo = { ...undone.undo, state: 'failed', finished: null };
  renderScreen(ImportedScreen, { at: '/subscribers/imported_subscribers?import=imp1' });
  expect(await screen.findByText(/^Undoing stopped after 1 subscriber because/)).toBeTruthy();
  expect(screen.getByRole('button', { name: 'Undo this import' })).toBeTruthy();
  expect(screen.queryByText('This import was undone')).toBeNull();
  finishedImport.undo = null;
});

/** Makes the server return previews with these changes. */
function respondWithPreview(change: object): void {
  const defaultImplementation = fetchMock.getMockImplementation();
  fetchMock.mockImplementation(async (input, init) =>
    String(input).includes('/preview')
      ? Response.json({ data: { ...preview, ...change } })
      : (defaultImplementation?.(input, init) as Promise<Response>),
  );
}

it('the file screen lists skipped columns and turns them all into fields with one click', async () => {
  const [email] = preview.columns;
  const column = (index: number, title: string, change: object) => ({
    ...email,
    column: index,
    title,
    target: 'skip',
    ...change,
  });
  respondWithPreview({
    service: 'klaviyo',
    columns: [
      email,
      column(1, 'City', {}),
      column(2, 'Member', { type: 'yes_no' }),
      column(3, 'Klaviyo ID', { is_own: true }),
      column(4, 'Empty', { is_filled: false }),
    ],
  });
  renderScreen(FileScreen, { at: '/subscribers/import/file?source=imp1' });
  expect(await screen.findByText('Klaviyo export recognized')).toBeTruthy();
  const panel = screen.getByRole('region', { name: 'Columns that are not imported' });
  expect(
    within(panel)
      .getAllByRole('listitem')
      .map((item) => item.textContent),
  ).toEqual(['City', 'Member']);
  fireEvent.click(within(panel).getByRole('button', { name: 'Create all' }));
  expect(screen.queryByText('Columns that are not imported')).toBeNull();
  fireEvent.click(screen.getByRole('checkbox', { name: /agreed/ }));
  fireEvent.click(screen.getByRole('button', { name: 'Import 2 rows' }));
  await waitFor(() => expect(callTo('/start_import')).toBeTruthy());
  const sentBody = JSON.parse(String(callTo('/start_import')));
  expect(sentBody.columns.slice(1)).toMatchObject([
    { column: 1, target: 'new', title: 'City', type: 'text' },
    { column: 2, target: 'new', title: 'Member', type: 'yes_no' },
  ]);
});

it('the file screen shows how a name is split and which groups change, and can rename new groups', async () => {
  const [email] = preview.columns;
  respondWithPreview({
    columns: [
      email,
      { ...email, column: 1, title: 'Name', target: 'fullname' },
      { ...email, column: 2, title: 'Tags', target: 'groups' },
    ],
    rows: [['ada@example.com', 'Ada Mae Lovelace', 'VIP']],
  });
  renderScreen(FileScreen, { at: '/subscribers/import/file?source=imp1' });
  expect(await screen.findByText('First word: first name. The rest: last name.')).toBeTruthy();
  expect(screen.getByText('Ada')).toBeTruthy();
  expect(screen.getByText('Mae Lovelace')).toBeTruthy();
  const title = await screen.findByText('Groups that would be created');
  const createdGroups = within(title.parentElement as HTMLElement).getAllByRole('listitem');
  expect(createdGroups.map((item) => item.textContent)).toEqual(['VIP1,204 subscribers']);
  const existingTitle = screen.getByText('Existing groups that would get subscribers');
  const items = within(existingTitle.parentElement as HTMLElement).getAllByRole('listitem');
  expect(items.map((item) => item.textContent)).toEqual(['Friends1 subscriber', 'OldNobody new']);
  expect(JSON.parse(String(callTo('/forecast')))).toMatchObject({ group_titles: [] });
  // A forecast with a known result is not requested again.
  const postCount = () => fetchMock.mock.calls.filter(([, init]) => init?.method === 'POST').length;
  const before = postCount();
  await new Promise((resolve) => setTimeout(resolve, 700));
  expect(postCount()).toBe(before);
  // Only groups to be created can be renamed, and a new name refreshes the forecast.
  expect(screen.queryByRole('button', { name: 'Rename group Friends' })).toBeNull();
  fireEvent.click(screen.getByRole('button', { name: 'Rename group VIP' }));
  const dialog = await screen.findByRole('dialog', { name: 'Rename this group' });
  const name = within(dialog).getByRole('textbox', { name: 'Name of the group' });
  fireEvent.change(name, { target: { value: ' Best ' } });
  fireEvent.click(within(dialog).getByRole('button', { name: 'Rename' }));
  // The last result stays until the next one arrives.
  expect(screen.getByText('Groups that would be created')).toBeTruthy();
  await waitFor(() => expect(postCount()).toBe(before + 1));
  const postCall = fetchMock.mock.calls.findLast(([, init]) => init?.method === 'POST');
  expect(JSON.parse(String(postCall?.[1]?.body))).toMatchObject({
    group_names: [{ from: 'VIP', to: 'Best' }],
  });
});

it('the file screen does not require consent for a file of unsubscribed contacts', async () => {
  respondWithPreview({ file_status: 'unsubscribed' });
  renderScreen(FileScreen, { at: '/subscribers/import/file?source=imp1' });
  const statusChoice = await screen.findByRole('combobox', { name: /Everyone in this file is/ });
  expect(statusChoice).toHaveProperty('value', 'Unsubscribed');
  expect(screen.queryByRole('checkbox', { name: /agreed to receive emails/ })).toBeNull();
  fireEvent.click(screen.getByRole('button', { name: 'Import 2 rows' }));
  await waitFor(() => expect(callTo('/start_import')).toBeTruthy());
  const sentBody = JSON.parse(String(callTo('/start_import')));
  expect(sentBody).toMatchObject({ file_status: 'unsubscribed' });
  expect(sentBody.consent).toBeUndefined();
});

it('choosing another list does not delete the uploaded one', async () => {
  renderScreen(TextScreen, { at: '/subscribers/import/text?source=imp1' });
  fireEvent.click(await screen.findByRole('button', { name: 'Choose another file' }));
  expect(await screen.findByRole('textbox', { name: 'Subscribers' })).toBeTruthy();
  expect(fetchMock.mock.calls.filter(([, init]) => init?.method === 'DELETE')).toEqual([]);
});

it('pasted rows that are not uploaded yet are stored when the user leaves the screen', async () => {
  browser.saved = undefined;
  renderScreen(TextScreen, { at: '/subscribers/import/text' });
  const textbox = await screen.findByRole('textbox', { name: 'Subscribers' });
  fireEvent.change(textbox, { target: { value: 'ada@example.com' } });
  fireEvent.click(screen.getByRole('link', { name: 'Import from a file' }));
  await waitFor(() => expect(browser.saved).toBe('ada@example.com'));
});

/** Pastes text, then continues with a list uploaded earlier. */
async function pasteAndContinueOther(): Promise<void> {
  const upload = { id: 'imp1', state: 'uploaded', method: 'text', fileName: '', rowCount: 2 };
  respondToUploads(fetchMock, () =>
    Response.json({ data: [{ ...upload, created: '2026-01-01T00:00:00.000Z' }] }),
  );
  renderScreen(TextScreen, { at: '/subscribers/import/text' });
  const textbox = await screen.findByRole('textbox', { name: 'Subscribers' });
  fireEvent.change(textbox, { target: { value: 'ada@example.com' } });
  fireEvent.click(await screen.findByRole('link', { name: 'Continue with Pasted list' }));
  expect(await screen.findByText('Match the columns')).toBeTruthy();
}

it('pasted rows are stored when the user continues with another list', async () => {
  browser.saved = undefined;
  await pasteAndContinueOther();
  fireEvent.click(screen.getByRole('link', { name: 'Import from a file' }));
  await waitFor(() => expect(browser.saved).toBe('ada@example.com'));
});

it('pasted rows are stored when the import of another list has started', async () => {
  browser.saved = undefined;
  await pasteAndContinueOther();
  fireEvent.click(screen.getByRole('checkbox', { name: /agreed/ }));
  fireEvent.click(screen.getByRole('button', { name: 'Import 2 rows' }));
  await waitFor(() => expect(callTo('/start_import')).toBeTruthy());
  await waitFor(() => expect(screen.queryByText('Match the columns')).toBeNull());
  await waitFor(() => expect(browser.saved).toBe('ada@example.com'));
});

it('the file screen offers a retry if rereading the file fails, and keeps the confirmed consent', async () => {
  let isDown = false;
  const defaultImplementation = fetchMock.getMockImplementation();
  fetchMock.mockImplementation(async (input, init) => {
    const url = new URL(String(input), 'http://localhost');
    if (!url.searchParams.has('has_header'))
      return defaultImplementation?.(input, init) as Promise<Response>;
    if (isDown) return new Response('{}', { status: 500 });
    return Response.json({ data: { ...preview, has_header: false } });
  });
  renderScreen(FileScreen, { at: '/subscribers/import/file?source=imp1' });
  fireEvent.click(await screen.findByRole('checkbox', { name: /agreed/ }));
  isDown = true;
  fireEvent.click(screen.getByRole('switch', { name: /headings/ }));
  const retryButton = await screen.findByRole('button', { name: 'Try again' });
  isDown = false;
  fireEvent.click(retryButton);
  const consent = await screen.findByRole('checkbox', { name: /agreed/ });
  expect(consent).toHaveProperty('checked', true);
});

it.each([
  ['a fetched list', GetresponseScreen, '/subscribers/import/getresponse?source=imp1'],
  ['a result', ImportedScreen, '/subscribers/imported_subscribers?import=imp1'],
])(
  '%s that could not be loaded is not reported as deleted, and can be reloaded',
  async (_, Screen, at) => {
    let isDown = true;
    const defaultImplementation = fetchMock.getMockImplementation();
    fetchMock.mockImplementation(async (input, init) => {
      const { pathname } = new URL(String(input), 'http://localhost');
      if (!/imports\/imp1(\/fetching)?$/.test(pathname))
        return defaultImplementation?.(input, init) as Promise<Response>;
      if (isDown) return new Response('{}', { status: 500 });
      const state = at.includes('source') ? 'uploaded' : finishedImport.state;
      return Response.json({ data: { ...finishedImport, state } });
    });
    renderScreen(Screen, { at });
    const retryButton = await screen.findByRole('button', { name: 'Try again' });
    expect(screen.queryByText('This file is no longer available')).toBeNull();
    isDown = false;
    fireEvent.click(retryButton);
    expect(
      await screen.findByText(at.includes('source') ? 'Match the columns' : 'Joined: Friends'),
    ).toBeTruthy();
  },
);
