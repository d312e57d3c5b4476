// @vitest-environment jsdom
// The card of a connected store: links to the next steps, and the meanings of order states.
import { cleanup, screen, within } from '@testing-library/react';
import { afterEach, beforeAll, expect, it } from 'vitest';
import { endTestApp, renderScreen, startTestApp } from '#platform/web/shell/test-app.tsx';
import type { ConnectedStore } from '../contract.ts';
import { StoreCard } from './store-card.tsx';

const noCounts = { products: 0, orders: 0, customers: 0 };
const STORE: ConnectedStore = {
  ...{ id: 'store', type: 'demo', title: 'Tea shop', domain: 'shop.demo', currency: 'EUR' },
  ...{ state: 'live', failure: null, refused_hooks: [], failing_since: null },
  ...{ synced: '2026-03-02T09:00:00.000Z', next_sync: null, has_keys: false, can_sync: false },
  ...{ counts: noCounts, progress: noCounts, group: null, abandoned_minutes: 60, order_states: [] },
  created: '2026-03-02T09:00:00.000Z',
  privacy_url: null,
};

beforeAll(() => startTestApp());
afterEach(endTestApp);

const show = async (state: ConnectedStore['state']) => {
  const noop = () => undefined;
  renderScreen(
    () => <StoreCard store={{ ...STORE, state }} openSettings={noop} openDisconnect={noop} />,
    {
      at: '/settings/stores',
    },
  );
  const card = await screen.findByRole('region', { name: 'Tea shop' });
  const links = within(card).queryAllByRole('link');
  return links.map((link) => [link.textContent, link.getAttribute('href')]);
};

it('the card of a connecting or live store links to the abandoned cart workflow and to an email with products', async () => {
  const steps = [
    ['Turn on abandoned cart', '/automation/create?recipe=cart'],
    ['Add products to an email', '/campaigns/create'],
  ];
  for (const state of ['connecting', 'live'] as const) {
    expect(await show(state)).toEqual(expect.arrayContaining(steps));
    cleanup();
  }
});

it('the card of a failing or disconnected store has no links to next steps', async () => {
  for (const state of ['failing', 'disconnected'] as const) {
    const links = await show(state);
    expect(links.filter(([, href]) => href !== '/shop')).toEqual([]);
    cleanup();
  }
});

it('the card lets the user choose the meaning of order states without a built-in meaning', async () => {
  const noop = () => undefined;
  const order_states: ConnectedStore['order_states'] = [
    { state: 'Gift wrapped', orders: 3, meaning: null },
    { state: 'Picked', orders: 0, meaning: 'paid' },
  ];
  renderScreen(
    () => (
      <StoreCard store={{ ...STORE, order_states }} openSettings={noop} openDisconnect={noop} />
    ),
    {
      at: '/settings/stores',
    },
  );
  const unknown = await screen.findByRole<HTMLSelectElement>('combobox', { name: 'Gift wrapped' });
  expect(unknown.value).toBe('');
  screen.getByText('3 orders do not count');
  expect(screen.getByRole<HTMLSelectElement>('combobox', { name: 'Picked' }).value).toBe('paid');
});
