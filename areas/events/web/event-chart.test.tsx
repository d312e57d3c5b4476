// @vitest-environment jsdom
// The days of an event type's chart.
import { screen } from '@testing-library/react';
import { afterEach, beforeAll, expect, it, vi } from 'vitest';
import { queryClient } from '#platform/web/api/queries.ts';
import { sampleSession } from '#platform/web/session/sample-session.ts';
import { sessionQuery } from '#platform/web/session/session.ts';
import { endTestApp, renderScreen, startTestApp } from '#platform/web/shell/test-app.tsx';
import { EventChart } from './event-chart.tsx';

beforeAll(() => startTestApp());
afterEach(() => {
  endTestApp();
  vi.useRealTimers();
  vi.unstubAllGlobals();
});

it('the chart ends with the current day in the time zone of the account', async () => {
  // In Auckland it is 09:00 on 2 March.
  vi.useFakeTimers({ now: new Date('2026-03-01T20:00:00Z'), toFake: ['Date'] });
  const account = { ...sampleSession.account, timezone: 'Pacific/Auckland' };
  const requests: string[] = [];
  vi.stubGlobal('fetch', async (input: string) => {
    requests.push(String(input));
    return Response.json({
      data: String(input).includes('/users') ? { ...sampleSession, account } : [],
    });
  });
  // The app loads the session before any screen.
  await queryClient.fetchQuery(sessionQuery);
  renderScreen(() => <EventChart id="e1" />, { at: '/subscribers/events' });
  await screen.findByRole('table');
  const chart = requests.find((request) => request.includes('/chart'));
  const { searchParams } = new URL(chart ?? '', 'http://app.example');
  expect(Object.fromEntries(searchParams)).toEqual({ from: '2026-02-01', to: '2026-03-02' });
});
