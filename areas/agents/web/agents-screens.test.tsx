// @vitest-environment jsdom
// The consent screen and the list of connected assistants.
import { fireEvent, screen, waitFor, within } from '@testing-library/react';
import { afterEach, beforeAll, beforeEach, expect, test, vi } from 'vitest';
import { sampleSession } from '#platform/web/session/sample-session.ts';
import { endTestApp, renderAreas, startTestApp } from '#platform/web/shell/test-app.tsx';
import type { AssistantConnection, ConnectionRequest } from '../contract.ts';
import { routes } from './routes.tsx';

const REQUEST: ConnectionRequest = {
  client_name: 'Editor',
  redirect_host: '127.0.0.1:4545',
  is_loopback: true,
  scopes: ['read', 'people', 'drafts'],
  account: 'Tea Shop',
};
const CONNECTION: AssistantConnection = {
  id: 'g1',
  client_name: 'Editor',
  redirect_host: 'editor.example',
  scopes: ['read'],
  user: 'bo@tea.example',
  is_yours: true,
  created: '2026-03-01T10:00:00.000Z',
  last_used: null,
};

const requests: { call: string; body: unknown }[] = [];
let connections: AssistantConnection[];
let isExpired: boolean;

beforeAll(() => startTestApp());
beforeEach(() => {
  requests.length = 0;
  connections = [CONNECTION];
  isExpired = false;
  vi.stubGlobal('fetch', async (input: string, init?: RequestInit) => {
    const { pathname } = new URL(String(input), location.origin);
    const method = init?.method ?? 'GET';
    requests.push({
      call: `${method} ${pathname}`,
      body: init?.body && JSON.parse(String(init.body)),
    });
    if (pathname.includes('/requests/') && isExpired)
      return Response.json({ code: 'request_expired', message: 'Expired' }, { status: 410 });
    if (pathname.includes('/requests/') && method === 'POST')
      return Response.json({ code: 'no_scope', message: 'Choose a right' }, { status: 422 });
    if (pathname.includes('/requests/')) return Response.json({ data: REQUEST });
    if (method === 'DELETE') {
      connections = [];
      return Response.json({ success: true });
    }
    if (pathname.endsWith('/assistants'))
      return Response.json({ data: connections, url: 'https://tea.example/mcp' });
    return Response.json({ data: sampleSession });
  });
});
afterEach(() => {
  vi.unstubAllGlobals();
  endTestApp();
});

test('the consent screen shows client, host and account, and access to subscribers is off until the user chooses it', async () => {
  renderAreas([routes], '/connect?request=abcdefghijkl');
  expect(await screen.findByText('“Editor” wants to work on Tea Shop')).toBeTruthy();
  expect(screen.getByText('127.0.0.1:4545')).toBeTruthy();
  expect(screen.getByText(/program on your computer/)).toBeTruthy();
  const getCheckbox = (name: string) => screen.getByRole<HTMLInputElement>('checkbox', { name });
  expect(getCheckbox('See subscribers').checked).toBe(false);
  expect(getCheckbox('Create drafts').checked).toBe(true);
  fireEvent.click(getCheckbox('Create drafts'));
  fireEvent.click(screen.getByRole('button', { name: 'Allow' }));
  const call = 'POST /client-api/api/assistants/requests/abcdefghijkl';
  await waitFor(() => expect(requests).toContainEqual({ call, body: { scopes: ['read'] } }));
  fireEvent.click(await screen.findByRole('button', { name: 'Decline' }));
  await waitFor(() => expect(requests).toContainEqual({ call, body: { scopes: null } }));
});

test.each(['/connect', '/connect?error=invalid_client', '/connect?request=expired-request'])(
  'the screen at %s explains that the request has ended',
  async (path) => {
    isExpired = true;
    renderAreas([routes], path);
    expect(await screen.findByText('This request is no longer valid')).toBeTruthy();
  },
);

test('connections are listed with the URL for assistants and disconnected after confirmation', async () => {
  renderAreas([routes], '/settings/assistants');
  expect(await screen.findByText('https://tea.example/mcp')).toBeTruthy();
  expect(screen.getByText('bo@tea.example')).toBeTruthy();
  fireEvent.click(screen.getByRole('button', { name: 'Disconnect' }));
  const dialog = within(await screen.findByRole('dialog', {}, { timeout: 5000 }));
  fireEvent.click(dialog.getByRole('button', { name: 'Disconnect' }));
  expect(await screen.findByText('No assistants connected')).toBeTruthy();
  expect(requests.map(({ call }) => call)).toContain('DELETE /client-api/api/assistants/g1');
});
