// @vitest-environment jsdom
// The settings of assistance, and the dialog that shows a request before it is sent.
import { fireEvent, screen, waitFor } from '@testing-library/react';
import { afterEach, beforeAll, beforeEach, expect, test, vi } from 'vitest';
import { sampleSession } from '#platform/web/session/sample-session.ts';
import { endTestApp, renderAreas, startTestApp } from '#platform/web/shell/test-app.tsx';
import type { ModelSettings } from '../contract.ts';
import { routes } from './routes.tsx';

const OFF: ModelSettings = {
  ...{ is_on: false, protocol: null, address: null, model: null },
  ...{ has_key: false, monthly_tokens: null, used_tokens: 0 },
};

const sent: { call: string; body: unknown }[] = [];
let settings: ModelSettings;

beforeAll(() => startTestApp());
beforeEach(() => {
  sent.length = 0;
  settings = OFF;
  vi.stubGlobal('fetch', async (input: string, init?: RequestInit) => {
    const { pathname } = new URL(String(input), location.origin);
    const method = init?.method ?? 'GET';
    const body: unknown = init?.body && JSON.parse(String(init.body));
    sent.push({ call: `${method} ${pathname}`, body });
    if (pathname.endsWith('/assistance/test'))
      return Response.json({ data: { answer: 'ready', milliseconds: 12 } });
    if (pathname.endsWith('/assistance') && method === 'PUT')
      settings = { ...OFF, ...(body as object), is_on: true, has_key: true };
    if (pathname.endsWith('/assistance')) return Response.json({ data: settings });
    return Response.json({ data: sampleSession });
  });
});
afterEach(() => {
  vi.unstubAllGlobals();
  endTestApp();
});

test('assistance is off until a model is saved, and is tested then', async () => {
  renderAreas([routes], '/settings/assistance');
  expect(await screen.findByText('Off. Nothing leaves this server.')).toBeTruthy();
  expect(screen.queryByRole('button', { name: 'Test' })).toBeNull();
  fireEvent.change(screen.getByLabelText(/^Protocol/), { target: { value: 'openai' } });
  fireEvent.change(screen.getByLabelText(/^Model/), { target: { value: 'llama' } });
  fireEvent.change(screen.getByLabelText(/^API key/), { target: { value: 'secret' } });
  fireEvent.click(screen.getByRole('button', { name: 'Save' }));
  const body = {
    ...{ protocol: 'openai', address: 'https://api.openai.com/v1', model: 'llama' },
    ...{ key: 'secret', monthly_tokens: null },
  };
  await waitFor(() =>
    expect(sent).toContainEqual({ call: 'PUT /client-api/api/assistance', body }),
  );
  fireEvent.click(await screen.findByRole('button', { name: 'Test' }));
  expect(await screen.findByText('The model answered “ready” in 12 ms')).toBeTruthy();
  expect(screen.getByText('A key is stored. Enter one to replace it.')).toBeTruthy();
});
