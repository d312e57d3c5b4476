// @vitest-environment jsdom
// Bulk actions on the list of subscribers: a deletion requires typing the number of subscribers,
// and sends the selected ids or the filter of the list. Also the list itself: it is requested with
// the URL that the server embeds, and shows statuses.
import { readFileSync } from 'node:fs';
import { fireEvent, screen, waitFor, within } from '@testing-library/react';
import { afterEach, beforeAll, beforeEach, expect, test, vi } from 'vitest';
import {
  endTestApp,
  renderComponent,
  renderScreen,
  startTestApp,
} from '#platform/web/shell/test-app.tsx';
import { queryClient } from '#platform/web/api/queries.ts';
import { sampleSession } from '#platform/web/session/sample-session.ts';
import { type Session, sessionQuery } from '#platform/web/session/session.ts';
import type { SubscriberListItem } from '../contract.ts';
import { BulkBar } from './bulk-bar.tsx';
import { useSubscriberSelection } from './selection.ts';
import SubscribersScreen from './subscribers-screen.tsx';

const sentCalls: { method: string; path?: string; body: unknown }[] = [];
/** Responses that replace the default ones. */
let responses: Record<string, { count: number; skipped: Record<string, number> }> = {};

const GROUPS = [
  { id: 'g1', title: 'Anglers' },
  { id: 'g2', title: 'Bakers' },
];

beforeAll(() => startTestApp());
beforeEach(() => {
  sentCalls.length = 0;
  responses = {};
  vi.stubGlobal('fetch', async (input: RequestInfo | URL, init?: RequestInit) => {
    const request =
      input instanceof Request ? input : new Request(new URL(input, location.href), init);
    const path = new URL(request.url).pathname;
    if (request.method !== 'GET') {
      const body: unknown = JSON.parse(await request.text());
      sentCalls.push({ method: request.method, ...(responses[path] ? { path } : {}), body });
    }
    const data = path.endsWith('/tags') ? GROUPS : [];
    const defaultResponse = { success: true, count: 1234, skipped: {}, queued: false, data };
    const response = { ...defaultResponse, ...responses[path] };
    return new Response(JSON.stringify(response), { status: 200 });
  });
});
afterEach(() => {
  endTestApp();
  vi.unstubAllGlobals();
});

function Bar(location: { filter: string; search: string }) {
  const selection = useSubscriberSelection(location, 1234);
  return (
    <>
      <button type="button" onClick={() => selection.selectIds(new Set(['a', 'b']))}>
        two
      </button>
      <BulkBar selection={selection} total={1234} />
    </>
  );
}

async function openDeleteDialog(): Promise<HTMLButtonElement> {
  fireEvent.click(screen.getByRole('button', { name: 'Delete' }));
  const dialog = within(await screen.findByRole('dialog'));
  return dialog.findByRole<HTMLButtonElement>('button', { name: 'Delete' });
}

test.each([
  [{ filter: 'email,ends,x,1,and,and,', search: '' }, { conditions: 'email,ends,x,1,and,and,' }],
  [{ filter: '', search: 'ada' }, { search: 'ada' }],
  [
    { filter: 'email,ends,x,1,and,and,', search: 'ada' },
    { conditions: 'email,ends,x,1,and,and,', search: 'ada' },
  ],
  [{ filter: '', search: '' }, { all: true }],
])(
  'deleting all subscribers of the list %o requires typing their number and sends its filter',
  async (location, body) => {
    renderComponent(<Bar {...location} />);
    fireEvent.click(screen.getByRole('button', { name: 'two' }));
    fireEvent.click(screen.getByRole('button', { name: /Select all/ }));
    const confirm = await openDeleteDialog();
    expect(confirm.disabled).toBe(true);
    fireEvent.change(screen.getByRole('textbox'), { target: { value: '123' } });
    expect(confirm.disabled).toBe(true);
    fireEvent.change(screen.getByRole('textbox'), { target: { value: '1234' } });
    fireEvent.click(confirm);
    await waitFor(() => expect(sentCalls).toEqual([{ method: 'DELETE', body }]));
  },
);

test('adding to groups requires a choice and sends one call per group', async () => {
  const paths = ['g1', 'g2'].map((id) => `/client-api/api/subscribers/groups/${id}`);
  responses = Object.fromEntries(paths.map((path) => [path, { count: 2, skipped: {} }]));
  renderComponent(<Bar filter="" search="" />);
  fireEvent.click(screen.getByRole('button', { name: 'two' }));
  const opener = screen.getByRole('button', { name: 'Add to group' });
  await waitFor(() => {
    fireEvent.click(opener);
    screen.getByRole('dialog', { name: 'Add to groups' });
  });
  const dialog = within(screen.getByRole('dialog'));
  const add = dialog.getByRole('button', { name: 'Add to group', hidden: true });
  fireEvent.click(add);
  await dialog.findByText('Please select at least one value');
  const field = dialog.getByRole('combobox', { name: 'Groups' });
  for (const { title } of GROUPS) {
    fireEvent.click(field);
    fireEvent.click(await screen.findByRole('option', { name: title, hidden: true }));
  }
  fireEvent.click(add);
  const body = { subscribers: ['a', 'b'], trigger_automation: false };
  await waitFor(() =>
    expect(sentCalls).toEqual(paths.map((path) => ({ method: 'POST', path, body }))),
  );
});

test('deleting two selected subscribers sends their ids', async () => {
  renderComponent(<Bar filter="email,ends,x,1,and,and," search="" />);
  fireEvent.click(screen.getByRole('button', { name: 'two' }));
  const confirm = await openDeleteDialog();
  fireEvent.change(screen.getByRole('textbox'), { target: { value: '2' } });
  fireEvent.click(confirm);
  await waitFor(() =>
    expect(sentCalls).toEqual([{ method: 'DELETE', body: { subscribers: ['a', 'b'] } }]),
  );
});

test('a user without the right to delete requests the deletion of the selection', async () => {
  const session: Session = { ...sampleSession, rights: ['read', 'people', 'people.change'] };
  queryClient.setQueryData(sessionQuery.queryKey, session);
  renderComponent(<Bar filter="" search="ada" />);
  fireEvent.click(screen.getByRole('button', { name: 'two' }));
  fireEvent.click(screen.getByRole('button', { name: /Select all/ }));
  expect(screen.queryByRole('button', { name: 'Delete' })).toBeNull();
  fireEvent.click(await screen.findByRole('button', { name: 'Ask to delete' }));
  const dialog = within(await screen.findByRole('dialog', { name: 'Ask to delete' }));
  fireEvent.click(dialog.getByRole('button', { name: 'Send request' }));
  await waitFor(() => expect(sentCalls).toEqual([{ method: 'DELETE', body: { search: 'ada' } }]));
});

test('an unsubscribe can be undone, and subscribers whom the undo skips are reported', async () => {
  const [unsubscribePath, undoPath] = [
    '/client-api/api/unsubscribes',
    '/client-api/api/unsubscribes/undo',
  ];
  responses = {
    [unsubscribePath]: { count: 2, skipped: {} },
    [undoPath]: { count: 1, skipped: { own_wish: 1 } },
  };
  renderComponent(<Bar filter="" search="" />);
  fireEvent.click(screen.getByRole('button', { name: 'two' }));
  fireEvent.click(screen.getByRole('button', { name: 'Unsubscribe' }));
  const dialog = within(await screen.findByRole('dialog'));
  fireEvent.click(await dialog.findByRole('button', { name: 'Unsubscribe' }));
  fireEvent.click(await screen.findByRole('button', { name: 'Undo' }));
  const body = { subscribers: ['a', 'b'] };
  await waitFor(() =>
    expect(sentCalls).toEqual([
      { method: 'POST', path: unsubscribePath, body },
      { method: 'POST', path: undoPath, body },
    ]),
  );
  await screen.findByText(/1 subscriber restored.*1 unsubscribed by choice/);
});

const ada: SubscriberListItem = {
  ...{ id: 's1', email: 'ada@x.example', firstname: 'Ada', lastname: null, phone: null },
  status: { email: 'bounced', temail: 'active', sms: 'non-subscribed', tsms: 'active' },
  ...{ subscriber_tags: [{ id: 'g1', title: 'Anglers' }], columns: [], location: null },
  ...{ country: null, language: null, ip_address: null, source: 'manual' },
  ...{ unsubscribed_at: null, bounced_at: null },
  ...{ created: '2026-03-02T09:00:00.000Z', modified: '2026-03-02T09:00:00.000Z' },
};

/** Opens the list and returns the URLs of its requests for subscribers. */
async function openList(): Promise<string[]> {
  const requests: string[] = [];
  const meta = { from: 1, to: 1, page: 1, pageCount: 1, total: 1, perPage: 10 };
  vi.stubGlobal('fetch', async (input: string) => {
    if (!input.startsWith('/client-api/api/subscribers?')) return Response.json({ data: [] });
    requests.push(input);
    return Response.json({ data: [ada], meta });
  });
  queryClient.clear();
  queryClient.setQueryData(sessionQuery.queryKey, sampleSession);
  renderScreen(SubscribersScreen, { at: '/subscribers' });
  await screen.findByText('ada@x.example');
  return requests;
}

test.each([
  [{}, ''],
  [{ rows: 25 }, 'limit=25'],
  [{ columns: ['status', 'last_open'] }, 'engagement=true'],
  [{ rows: 50, columns: ['revenue'] }, 'limit=50&engagement=true'],
  [{ columns: ['phone'] }, ''],
])(
  'the list with %o is requested once, with the URL that the server embeds',
  async (value, preferences) => {
    const { rows, columns } = value as { rows?: number; columns?: string[] };
    if (rows) localStorage.setItem('sendloom.rows.u./subscribers', String(rows));
    if (columns) localStorage.setItem('sendloom.audience.columns', JSON.stringify(columns));
    const cookies = vi.spyOn(document, 'cookie', 'set');
    const requests = await openList();
    const calls = JSON.parse(readFileSync('main/first-calls.json', 'utf8'));
    const [embedded] = calls['areas/audience/web/subscribers-screen.tsx'] as string[];
    expect(requests).toEqual([preferences ? `${embedded}&${preferences}` : embedded]);
    const age = preferences ? 31_536_000 : 0;
    const listCookies = cookies.mock.calls.flat().filter((text) => text.startsWith('list_'));
    expect(listCookies).toEqual([
      `list_preferences=${encodeURIComponent(preferences)}; path=/subscribers; max-age=${age}; samesite=lax`,
    ]);
    cookies.mockRestore();
    localStorage.clear();
  },
);

test('the status has its own column and is part of the first cell on phones', async () => {
  const inFirstCell = (name: string) =>
    within(screen.getByText('ada@x.example').closest('td') as HTMLElement).queryByText(name);
  await openList();
  const row = screen.getByText('ada@x.example').closest('tr') as HTMLElement;
  expect(within(row).getByText('Bounced')).toBeTruthy();
  expect(inFirstCell('Bounced')).toBeNull();
  endTestApp();
  const wide = window.matchMedia;
  vi.stubGlobal('matchMedia', (query: string) =>
    Object.assign(wide(query), { matches: query === '(max-width: 640px)' }),
  );
  await openList();
  expect(inFirstCell('Bounced')).toBeTruthy();
  expect(inFirstCell('Ada')).toBeTruthy();
});
