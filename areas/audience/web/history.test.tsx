// @vitest-environment jsdom
// A subscriber's history, page by page: an error is shown for a page that fails to load, and a
// button requests it again. Also an email to the subscriber and an erasure, from the same screen.
import { fireEvent, screen, waitFor, within } from '@testing-library/react';
import { afterEach, beforeAll, expect, it, vi } from 'vitest';
import { queryClient } from '#platform/web/api/queries.ts';
import { sampleSession } from '#platform/web/session/sample-session.ts';
import { sessionQuery } from '#platform/web/session/session.ts';
import { endTestApp, renderScreen, startTestApp } from '#platform/web/shell/test-app.tsx';
import type { SubscriberDetails } from '../contract.ts';
import { History } from './history.tsx';
import SubscriberScreen from './subscriber-screen.tsx';

beforeAll(async () => {
  await startTestApp();
  // jsdom does not implement IntersectionObserver, and nothing scrolls in these tests.
  vi.stubGlobal(
    'IntersectionObserver',
    class {
      observe(): void {}
      disconnect(): void {}
    },
  );
});
afterEach(endTestApp);

const buildOpen = (subject: string) => ({
  action: 'opened',
  at: '2026-03-02T09:00:00.000Z',
  channel: 'email',
  message: { id: `m ${subject}`, kind: 'letter', subject, campaign: null },
  url: null,
  detail: null,
});

it('reports a next page that fails to load, and keeps the loaded pages', async () => {
  let isBroken = true;
  vi.stubGlobal('fetch', async (url: string) => {
    const isNext = String(url).includes('after=next');
    if (isNext && isBroken) return Response.json({ message: '' }, { status: 500 });
    return Response.json(
      isNext
        ? { data: [buildOpen('Second')], meta: { next: null } }
        : { data: [buildOpen('First')], meta: { next: 'next' } },
    );
  });
  renderScreen(() => <History id="s" />, { at: '/subscribers/s/view' });
  const moreButton = await screen.findByRole('button', { name: 'Show more' });
  expect(screen.queryByRole('alert')).toBeNull();
  fireEvent.click(moreButton);
  await screen.findByRole('alert');
  expect(screen.getByText('First')).toBeTruthy();
  isBroken = false;
  fireEvent.click(moreButton);
  await screen.findByText('Second');
  await waitFor(() => expect(screen.queryByRole('alert')).toBeNull());
});

const ada: SubscriberDetails = {
  ...{ id: 's', email: 'ada@x.example', firstname: 'Ada', lastname: 'Bloom', phone: null },
  status: { email: 'active', temail: 'active', sms: 'non-subscribed', tsms: 'non-subscribed' },
  comeback: { email: 'open', temail: 'open', sms: 'consent', tsms: 'free' },
  ...{ subscriber_tags: [], columns: [], location: null, country: null, language: null },
  ...{ ip_address: null, source: 'manual', unsubscribed_at: null, bounced_at: null },
  ...{ worth: null, consents: [], status_changes: [] },
  ...{ created: '2026-03-02T09:00:00.000Z', modified: '2026-03-02T09:00:00.000Z' },
};

/** Opens the screen of a subscriber and returns a list that collects its POST requests. */
async function openSubscriber(details: SubscriberDetails): Promise<unknown[]> {
  const sentBodies: unknown[] = [];
  vi.stubGlobal('fetch', async (input: string, init?: RequestInit) => {
    const path = String(input).split('?')[0] ?? '';
    if (init?.method === 'POST') {
      sentBodies.push([path, JSON.parse(String(init.body ?? 'null'))]);
      const found_in = [{ kind: 'campaign', id: 'c', title: 'Spring' }];
      return Response.json({ success: true, found_in });
    }
    if (path.endsWith('/subscribers/s')) return Response.json({ data: details });
    if (path.endsWith('/api/users')) return Response.json(sampleSession);
    if (path.endsWith('/engagement')) return Response.json({}, { status: 404 });
    return Response.json({ data: [], meta: { next: null } });
  });
  queryClient.clear();
  queryClient.setQueryData(sessionQuery.queryKey, sampleSession);
  const path = '/subscribers/$subscriber/view';
  renderScreen(SubscriberScreen, { at: '/subscribers/s/view', path });
  await screen.findByRole('button', { name: 'Export as JSON' });
  return sentBodies;
}

it("sends an email to the subscriber from the subscriber's page", async () => {
  const sentBodies = await openSubscriber(ada);
  fireEvent.click(screen.getByRole('button', { name: 'Send email' }));
  const dialog = within(await screen.findByRole('dialog', { name: 'Email to Ada Bloom' }));
  const send = () => fireEvent.click(dialog.getByRole('button', { name: 'Send' }));
  send();
  expect(sentBodies).toEqual([]);
  const type = (label: string, value: string) =>
    fireEvent.change(dialog.getByLabelText(label), { target: { value } });
  type('Subject', 'Your order');
  type('Message', 'Dear Ada');
  send();
  expect(await screen.findByText('Email to Ada Bloom sent')).toBeTruthy();
  const body = { from_name: 'Nordic Tea', from_email: 'ada@tea.example' };
  expect(sentBodies).toEqual([
    ['/client-api/api/subscribers/s/email', { ...body, subject: 'Your order', text: 'Dear Ada' }],
  ]);
});

it('does not offer to email a subscriber without an address', async () => {
  await openSubscriber({ ...ada, email: null, phone: '+4791234567' });
  expect(screen.queryByRole('button', { name: 'Send email' })).toBeNull();
});

it('lists content that still contains the address of an erased subscriber', async () => {
  const sentBodies = await openSubscriber(ada);
  fireEvent.click(screen.getByRole('button', { name: 'Erase personal data' }));
  const dialog = within(await screen.findByRole('dialog', { name: 'Erase ada@x.example?' }));
  fireEvent.change(dialog.getByRole('textbox'), { target: { value: 'ada@x.example' } });
  fireEvent.click(dialog.getByRole('button', { name: 'Erase permanently' }));
  const noticeDialog = await screen.findByRole('dialog', {
    name: 'The address is still in contents that you wrote',
  });
  expect(within(noticeDialog).getByRole('listitem').textContent).toBe('Spring');
  within(noticeDialog).getByRole('button', { name: 'Copy names' });
  expect(sentBodies).toEqual([['/client-api/api/subscribers/s/erase', null]]);
});
