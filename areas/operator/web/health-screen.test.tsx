// @vitest-environment jsdom
// The state of the installation: abandoned jobs are retried from the list of jobs.
import { fireEvent, screen, waitFor, within } from '@testing-library/react';
import { afterEach, beforeAll, expect, test, vi } from 'vitest';
import { queryClient } from '#platform/web/api/queries.ts';
import { USERS_PATH } from '#platform/web/session/session.ts';
import { endTestApp, renderScreen, startTestApp } from '#platform/web/shell/test-app.tsx';
import type { InstallationHealth } from '../contract.ts';
import HealthScreen from './health-screen.tsx';

beforeAll(() => startTestApp());
afterEach(() => {
  endTestApp();
  queryClient.clear();
  vi.unstubAllGlobals();
});

const job = (name: string, givenUp: number) => ({
  ...{ job: name, due: 0, running: 0, later: 0 },
  given_up: givenUp,
});

function healthWith(queue: InstallationHealth['queue']): InstallationHealth {
  return {
    ...{ troubles: [], processes: [], relays: [], disks: [], nodes_away: [], errors: [] },
    ...{ queue, oldest_job: null, open_messages: 0, sending_rate: null },
    database: { version: '18.1', bytes: 1_000_000, connections: 3 },
    ...{ version: '0.1.0', node: '24.1.0' },
  };
}

test('abandoned jobs are retried by kind, even without an account session', async () => {
  let health = healthWith([job('delivery.write_audience', 2), job('imports.run', 0)]);
  const requests: [string, unknown][] = [];
  vi.stubGlobal('fetch', async (path: string, init?: RequestInit) => {
    // The node of the operator's account is down.
    if (path === USERS_PATH) return new Response('{}', { status: 503 });
    if (init?.method !== 'POST') return new Response(JSON.stringify({ data: health }));
    requests.push([path, JSON.parse(String(init.body))]);
    health = healthWith([job('delivery.write_audience', 0), job('imports.run', 0)]);
    return new Response(JSON.stringify({ data: { count: 2 } }));
  });
  renderScreen(HealthScreen, { at: '/operator' });
  const row = (await screen.findByText('delivery.write_audience')).closest('tr') as HTMLElement;
  const name = 'Try the given-up jobs of delivery.write_audience again';
  expect(screen.getAllByRole('button', { name: /given-up jobs/ })).toHaveLength(1);
  fireEvent.click(within(row).getByRole('button', { name }));
  await waitFor(() =>
    expect(requests).toEqual([
      ['/client-api/api/operator/jobs/retry', { job: 'delivery.write_audience' }],
    ]),
  );
  expect(await screen.findByText('Jobs tried again: 2')).toBeTruthy();
  await waitFor(() => expect(screen.queryByRole('button', { name })).toBeNull());
});
