// @vitest-environment jsdom
// Consent to third-party scripts is requested once; scripts load only with consent and get minimal
// data.
import { fireEvent, screen, waitFor } from '@testing-library/react';
import { afterEach, beforeAll, beforeEach, expect, it, vi } from 'vitest';
import ConsentBanner from './consent-banner.tsx';
import { watchErrors } from '../errors/global-errors.tsx';
import { endTestApp, renderComponent, startTestApp } from './test-app.tsx';
import { consents, offeredSlots, loadThirdPartySlots, recordAccount } from './third-parties.ts';

const CHAT = 'https://chat.example/widget.js';
const STATS = 'https://stats.example/tag.js';
let configured: Record<string, string | null>;
let sentRequests: { url: string; body: string; credentials: string | undefined }[] = [];

beforeAll(async () => {
  await startTestApp();
  watchErrors();
});
beforeEach(() => {
  localStorage.removeItem('sendloom.consents');
  delete window.dataLayer;
  for (const script of document.head.querySelectorAll('script')) script.remove();
  sentRequests = [];
  configured = { live_chat: null, feedback: null, analytics: null, error_reporting: null };
  vi.stubGlobal('fetch', async (url: string, init: RequestInit = {}) => {
    sentRequests.push({ url, body: String(init.body ?? ''), credentials: init.credentials });
    return new Response(JSON.stringify({ data: configured }));
  });
});
afterEach(endTestApp);

const scripts = () => [...document.head.querySelectorAll('script')].map((script) => script.src);

it('does not request consent if no scripts are configured', async () => {
  await loadThirdPartySlots();
  renderComponent(<ConsentBanner />);
  expect(screen.queryByRole('region')).toBeNull();
  await recordAccount('a1');
  expect(window.dataLayer).toBeUndefined();
  expect(scripts()).toEqual([]);
});

it('loads only allowed scripts and stores the decision', async () => {
  configured = { ...configured, live_chat: CHAT, analytics: STATS };
  await loadThirdPartySlots();
  renderComponent(<ConsentBanner />);
  await screen.findByRole('region', { name: 'Allow these services?' });
  await recordAccount('a1');
  expect(window.dataLayer).toBeUndefined();
  expect(scripts()).toEqual([]);
  fireEvent.click(screen.getByRole('checkbox', { name: 'Live chat with support' }));
  fireEvent.click(screen.getByRole('button', { name: 'Allow selected' }));
  await waitFor(() => expect(scripts()).toEqual([STATS]));
  expect(screen.queryByRole('region')).toBeNull();
  await recordAccount('a1');
  expect(window.dataLayer).toEqual([{ event: 'account', account_id: 'a1' }]);
  expect(JSON.parse(localStorage.getItem('sendloom.consents') ?? '')).toEqual({
    live_chat: false,
    analytics: true,
  });
});

it('ignores stored decisions other than true and false', async () => {
  localStorage.setItem('sendloom.consents', '{"live_chat":"yes","analytics":1,"x":true}');
  configured = { ...configured, live_chat: CHAT };
  await loadThirdPartySlots();
  expect(consents.get()).toEqual({});
  expect(offeredSlots(undefined)).toEqual([]);
});

it('reports uncaught errors without personal data', async () => {
  localStorage.setItem('sendloom.consents', '{"error_reporting":true}');
  configured = { ...configured, error_reporting: 'https://key@errors.example/3' };
  history.replaceState(null, '', '/campaigns/eZVD4w/edit?q=zoe@shop.example');
  await loadThirdPartySlots();
  const isReported = async () => {
    const error = new TypeError('zoe@shop.example is not a function');
    window.dispatchEvent(new ErrorEvent('error', { error, message: error.message }));
    expect(sentRequests.some(({ url }) => url.startsWith('https://errors.example/'))).toBe(true);
  };
  await vi.waitFor(isReported, 20_000);
  const report = sentRequests.find(({ url }) => url.startsWith('https://errors.example/'));
  expect(report?.url).toBe(
    'https://errors.example/api/3/envelope/?sentry_version=7&sentry_key=key',
  );
  expect(report?.credentials).toBe('omit');
  const event = JSON.parse(report?.body.split('\n')[2] ?? '');
  expect(event).toMatchObject({
    platform: 'javascript',
    transaction: '/campaigns/:id/edit',
    exception: { values: [{ type: 'TypeError', value: '[address] is not a function' }] },
  });
  expect(report?.body).not.toMatch(/zoe|eZVD4w/);
  expect(event).not.toHaveProperty('user');
  expect(event).not.toHaveProperty('request');
});

it('records the account after a reload, even before the slots are opened', async () => {
  configured = { ...configured, analytics: STATS };
  localStorage.setItem('sendloom.consents', JSON.stringify({ analytics: true }));
  // Simulates a reload: the module state is empty.
  vi.resetModules();
  const page = await import('./third-parties.ts');
  await page.recordAccount('a2');
  expect(window.dataLayer).toEqual([{ event: 'account', account_id: 'a2' }]);
});
