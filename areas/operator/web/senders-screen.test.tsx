// @vitest-environment jsdom
// SMS senders that wait for the operator: conflicts are shown, and each sender is approved or
// declined.
import { fireEvent, screen, waitFor, within } from '@testing-library/react';
import { afterEach, beforeAll, expect, test, vi } from 'vitest';
import { queryClient } from '#platform/web/api/queries.ts';
import { sampleSession } from '#platform/web/session/sample-session.ts';
import { sessionQuery } from '#platform/web/session/session.ts';
import { endTestApp, renderScreen, startTestApp } from '#platform/web/shell/test-app.tsx';
import type { WaitingSender } from '../contract.ts';
import SendersScreen from './senders-screen.tsx';

const sender = (id: string, overrides: Partial<WaitingSender> = {}): WaitingSender => ({
  ...{ id, kind: 'long_code', value: '+15125550177', use_case: 'Offers', is_shared: false },
  ...{ account: { id: 'a1', title: 'Nordic Tea' }, created: '2026-05-01T10:00:00.000Z' },
  ...overrides,
});

let list: WaitingSender[];
let requests: string[];

beforeAll(() => startTestApp());
afterEach(() => {
  endTestApp();
  queryClient.clear();
  vi.unstubAllGlobals();
});

function show(senders: WaitingSender[]): void {
  list = senders;
  requests = [];
  queryClient.setQueryData(sessionQuery.queryKey, sampleSession);
  vi.stubGlobal('fetch', async (path: string, init?: RequestInit) => {
    if (init?.method === 'POST') {
      requests.push(path);
      list = [];
      return new Response(JSON.stringify({ success: true }));
    }
    return new Response(JSON.stringify({ data: list }));
  });
  renderScreen(SendersScreen, { at: '/operator/senders' });
}

test('the list shows the account and conflict of a sender, and approves it for that account', async () => {
  show([sender('p1', { is_shared: true }), sender('p2', { value: 'Bloom', kind: 'alphanumeric' })]);
  const row = (await screen.findByText('+15125550177')).closest('tr') as HTMLElement;
  expect(row.textContent).toContain('Nordic Tea');
  expect(row.textContent).toContain('Registered by several accounts');
  fireEvent.click(within(row).getByRole('button', { name: 'Approve' }));
  await waitFor(() =>
    expect(requests).toEqual(['/client-api/api/operator/accounts/a1/senders/p1/assign']),
  );
  expect(await screen.findByText('No sender is waiting')).toBeTruthy();
});

test('declining a sender requires confirmation', async () => {
  show([sender('p1')]);
  fireEvent.click(await screen.findByRole('button', { name: 'Decline' }));
  const dialog = await screen.findByRole('dialog');
  expect(requests).toEqual([]);
  fireEvent.click(within(dialog).getByRole('button', { name: 'Decline' }));
  await waitFor(() =>
    expect(requests).toEqual(['/client-api/api/operator/accounts/a1/senders/p1/decline']),
  );
});
