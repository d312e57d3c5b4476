// @vitest-environment jsdom
// The list of SMS campaigns links to the setup of SMS until it is done.
import { screen } from '@testing-library/react';
import { afterEach, beforeAll, expect, test, vi } from 'vitest';
import { queryClient } from '#platform/web/api/queries.ts';
import { endTestApp, renderScreen, startTestApp } from '#platform/web/shell/test-app.tsx';
import SmsScreen from './sms-screen.tsx';

const SESSION = {
  user: { id: 'u', email: 'ada@tea.example', name: 'Ada', surname: 'Bloom', language: 'eng' },
  account: { id: 'a', title: 'Nordic Tea', timezone: 'Europe/Oslo', country: 'NO' },
};

beforeAll(() => startTestApp());
afterEach(() => {
  endTestApp();
  queryClient.clear();
  vi.unstubAllGlobals();
});

async function show(isOnboarded: boolean): Promise<void> {
  vi.stubGlobal('fetch', async (path: string) => {
    if (path.endsWith('/users')) return Response.json({ data: SESSION });
    if (path.endsWith('/sms/settings')) {
      return Response.json({ data: { provider: 'phone', is_onboarded: isOnboarded } });
    }
    const meta = { from: 0, to: 0, page: 1, pageCount: 1, total: 0, perPage: 10 };
    return Response.json({ data: [], meta });
  });
  renderScreen(SmsScreen, { at: '/sms' });
  await screen.findByRole('heading', { name: 'SMS campaigns' });
}

test('the list links to the SMS setup until it is complete', async () => {
  await show(false);
  const link = await screen.findByRole('link', { name: 'Set up SMS' });
  expect(link.getAttribute('href')).toBe('/users/sms_onboard');
});

test('the list has no link to the SMS setup once it is complete', async () => {
  await show(true);
  expect(await screen.findAllByRole('link', { name: /SMS/ })).not.toHaveLength(0);
  expect(screen.queryByRole('link', { name: 'Set up SMS' })).toBeNull();
});
