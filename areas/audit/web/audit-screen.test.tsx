// @vitest-environment jsdom
// The audit log: entries, filters, pages and retention.
import { fireEvent, screen, waitFor } from '@testing-library/react';
import { afterEach, beforeAll, beforeEach, expect, test, vi } from 'vitest';
import { endTestApp, renderAreas, startTestApp } from '#platform/web/shell/test-app.tsx';
import { sampleSession } from '#platform/web/session/sample-session.ts';
import type { AuditEntry } from '../contract.ts';
import { getActionKind } from './act-kinds.ts';
import { routes } from './routes.tsx';

const ENTRY: AuditEntry = {
  id: 'a1',
  at: '2026-03-01T10:00:00.000Z',
  action: 'campaigns.schedule',
  subject: 'c1',
  actor: 'session',
  user: { id: 'u1', name: 'Ada Lovelace', email: 'ada@tea.example' },
  token: null,
  assistant: null,
  ip: '198.51.100.7',
  fields: ['schedule_time'],
  before: null,
  after: { schedule_time: null },
  count: null,
};
const BY_TOKEN: AuditEntry = {
  ...ENTRY,
  id: 'a2',
  action: 'groups.deleteGroup',
  actor: 'token',
  token: { id: 't1', title: 'Till' },
  after: null,
};

const requests: { call: string; body: unknown }[] = [];
let pages: Record<string, object>;

beforeAll(() => startTestApp());
beforeEach(() => {
  requests.length = 0;
  pages = {
    '': { data: [ENTRY], next: '7' },
    '7': { data: [BY_TOKEN], next: null },
  };
  vi.stubGlobal('fetch', async (input: string, init?: RequestInit) => {
    const { pathname, searchParams } = new URL(String(input), location.origin);
    requests.push({
      call: `${init?.method ?? 'GET'} ${pathname}?${searchParams.toString()}`,
      body: init?.body && JSON.parse(String(init.body)),
    });
    const body = pathname.endsWith('/settings')
      ? { data: { retention_days: 365 } }
      : pathname.endsWith('/audit')
        ? pages[searchParams.get('before') ?? '']
        : { data: sampleSession };
    return new Response(JSON.stringify(body), { status: 200 });
  });
});
afterEach(() => {
  vi.unstubAllGlobals();
  endTestApp();
});

test('entries show the action and its user, and a button loads further entries', async () => {
  renderAreas([routes], '/settings/audit');
  expect(await screen.findByText('Email campaigns: scheduled')).toBeTruthy();
  expect(screen.getByText('Ada Lovelace')).toBeTruthy();
  expect(screen.getByText('198.51.100.7')).toBeTruthy();
  fireEvent.click(screen.getByRole('button', { name: 'Show more' }));
  expect(await screen.findByText('Groups: deleted')).toBeTruthy();
  expect(screen.getByText('Till')).toBeTruthy();
  expect(screen.queryByRole('button', { name: 'Show more' })).toBeNull();
});

test('filters apply to the list and to the download', async () => {
  renderAreas([routes], '/settings/audit');
  const area = await screen.findByLabelText('Area');
  fireEvent.change(area, { target: { value: 'campaigns' } });
  await waitFor(() =>
    expect(requests.some(({ call }) => call.endsWith('/audit?action=campaigns'))).toBe(true),
  );
  expect(screen.getByRole('link', { name: 'Download CSV' }).getAttribute('href')).toBe(
    '/client-api/api/audit/export?action=campaigns',
  );
});

test('an empty log shows an explanation, and a changed retention is saved', async () => {
  pages[''] = { data: [], next: null };
  renderAreas([routes], '/settings/audit');
  expect(await screen.findByText('No entries')).toBeTruthy();
  fireEvent.change(await screen.findByLabelText('Keep entries for'), { target: { value: '90' } });
  await waitFor(() =>
    expect(requests.find(({ call }) => call.startsWith('PUT'))?.body).toEqual({
      retention_days: 90,
    }),
  );
});

test.each([
  ['campaigns.schedule', 'scheduled'],
  ['groups.renameGroup', 'changed'],
  ['accounts.openSession', 'signedIn'],
  ['forms.publishForm', 'started'],
  ['strange', 'changed'],
])('the action %s is shown as %s', (action, kind) => {
  expect(getActionKind(action)).toBe(kind);
});
