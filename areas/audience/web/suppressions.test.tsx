// @vitest-environment jsdom
// The suppression list: names of existing subscribers, removable rows, and the confirmation of a
// removal.
import { fireEvent, screen, waitFor, within } from '@testing-library/react';
import { afterEach, beforeAll, beforeEach, expect, it, vi } from 'vitest';
import { endTestApp, renderScreen, startTestApp } from '#platform/web/shell/test-app.tsx';
import SuppressionsScreen from './suppressions-screen.tsx';

const createdAt = '2026-01-02T00:00:00.000Z';
const rows = [
  {
    id: 'b'.repeat(43),
    reason: 'bounced',
    since: createdAt,
    subscriber: { id: 's1', address: 'ada@x.example' },
  },
  { id: 'u'.repeat(43), reason: 'unsubscribed', since: createdAt, subscriber: null },
];
const calls: { method: string; url: string; body: unknown }[] = [];
let visibleRows: typeof rows;
/** Requests for this channel never get a response. */
let unansweredChannel: string | undefined;

beforeAll(() => startTestApp());
beforeEach(() => {
  calls.length = 0;
  visibleRows = rows;
  unansweredChannel = undefined;
  vi.stubGlobal('fetch', async (input: Request | string, init?: RequestInit) => {
    const url = String(input instanceof Request ? input.url : input);
    const method = init?.method ?? 'GET';
    if (url.includes('/suppressions'))
      calls.push({ method, url, body: init?.body ? JSON.parse(String(init.body)) : undefined });
    if (unansweredChannel && url.includes(`channel=${unansweredChannel}`))
      return new Promise<Response>(() => undefined);
    const meta = {
      from: 1,
      to: visibleRows.length,
      page: 1,
      pageCount: 1,
      total: visibleRows.length,
      perPage: 10,
    };
    const response = method === 'DELETE' ? { success: true } : { data: visibleRows, meta };
    return new Response(JSON.stringify(response), { status: 200 });
  });
});
afterEach(endTestApp);

it('names existing subscribers and offers removal only for rows that the account may remove', async () => {
  renderScreen(SuppressionsScreen, { at: '/subscribers/suppressions' });
  const link = await screen.findByRole('link', { name: /^ada@x\.example/ });
  expect(link.getAttribute('href')).toBe('/subscribers/s1/view');
  expect(screen.getByText('Not one of your subscribers')).toBeTruthy();
  const [, first, second] = screen.getAllByRole('row');
  expect(within(second as HTMLElement).queryByRole('button')).toBeNull();
  fireEvent.click(within(first as HTMLElement).getByRole('button'));
  fireEvent.click(await screen.findByRole('menuitem', { name: 'Allow again' }));
  const dialog = await screen.findByRole('dialog');
  expect(dialog.textContent).toContain('ada@x.example bounced');
  fireEvent.click(within(dialog).getByRole('button', { name: 'Allow again' }));
  await waitFor(() =>
    expect(calls.find(({ method }) => method === 'DELETE')).toMatchObject({
      url: expect.stringContaining(`/suppressions/${'b'.repeat(43)}`),
      body: { channel: 'email' },
    }),
  );
});

it('reads channel and reason from the URL and explains an empty list', async () => {
  visibleRows = [];
  renderScreen(SuppressionsScreen, {
    at: '/subscribers/suppressions?channel=sms&reason=reported',
  });
  await waitFor(() => expect(calls[0]?.url).toMatch(/channel=sms/));
  expect(calls[0]?.url).toMatch(/reason=reported/);
  endTestApp();
  calls.length = 0;
  renderScreen(SuppressionsScreen, { at: '/subscribers/suppressions' });
  expect(await screen.findByText('No suppressed addresses')).toBeTruthy();
  expect(calls[0]?.url).not.toMatch(/reason=/);
});

it('does not offer to remove the previous rows while the rows of another channel load', async () => {
  unansweredChannel = 'sms';
  renderScreen(SuppressionsScreen, { at: '/subscribers/suppressions' });
  const link = await screen.findByRole('link', { name: /^ada@x\.example/ });
  const actionsOf = () => within(link.closest('tr') as HTMLElement).queryByRole('button');
  expect(actionsOf()).not.toBeNull();
  fireEvent.change(screen.getByLabelText('Channel'), { target: { value: 'sms' } });
  await waitFor(() => expect(calls.at(-1)?.url).toContain('channel=sms'));
  expect(screen.getByRole('link', { name: /^ada@x\.example/ })).toBeTruthy();
  expect(actionsOf()).toBeNull();
});
