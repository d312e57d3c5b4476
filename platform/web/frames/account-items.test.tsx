// @vitest-environment jsdom
// The user menu lists the accounts of a user who has several.
import { Menu } from '@mantine/core';
import { fireEvent, screen, waitFor } from '@testing-library/react';
import { afterEach, beforeAll, beforeEach, expect, it, vi } from 'vitest';
import { queryClient } from '../api/queries.ts';
import { endTestApp, renderComponent, startTestApp } from '../shell/test-app.tsx';
import { AccountItems } from './account-items.tsx';

const fetchMock = vi.fn<typeof fetch>();
const respond = (status: number, body: object) =>
  fetchMock.mockResolvedValueOnce(new Response(JSON.stringify(body), { status }));

beforeAll(() => startTestApp());
beforeEach(() => {
  fetchMock.mockReset();
  vi.stubGlobal('fetch', fetchMock);
});
afterEach(() => {
  endTestApp();
  queryClient.clear();
  vi.unstubAllGlobals();
});

const accounts = [
  { id: 'a1', title: 'Tea House', owner: 'ada@tea.example', is_current: true },
  { id: 'a2', title: '', owner: 'bo@cake.example', is_current: false },
];

const renderMenu = () =>
  renderComponent(
    // jsdom has no layout, so the button is treated as scrolled out of view.
    <Menu opened hideDetached={false} transitionProps={{ duration: 0 }}>
      <Menu.Target>
        <button type="button">You</button>
      </Menu.Target>
      <Menu.Dropdown>
        <Menu.Item>Profile</Menu.Item>
        <AccountItems />
      </Menu.Dropdown>
    </Menu>,
  );

it('requests a switch to the chosen account and reports a refusal', async () => {
  respond(200, { data: accounts });
  renderMenu();
  const currentItem = await screen.findByRole('menuitemradio', { name: 'Tea House' });
  expect(currentItem.getAttribute('aria-checked')).toBe('true');
  respond(404, { code: 'not_found', message: 'This does not exist.' });
  fireEvent.click(screen.getByRole('menuitemradio', { name: 'Account of bo@cake.example' }));
  await waitFor(() => expect(fetchMock).toHaveBeenCalledTimes(2));
  const [url, init] = fetchMock.mock.calls[1] ?? [];
  expect(init?.method).toBe('POST');
  expect(String(url)).toMatch(/\/client-api\/api\/users\/accounts$/);
  expect(JSON.parse(String(init?.body))).toEqual({ account: 'a2' });
  expect(await screen.findByText(/resource not found/)).toBeTruthy();
});

it('lists no accounts for a user with one account', async () => {
  respond(200, { data: accounts.slice(0, 1) });
  renderMenu();
  await waitFor(() => expect(fetchMock).toHaveBeenCalledTimes(1));
  expect(await screen.findByText('Profile')).toBeTruthy();
  expect(screen.queryByRole('menuitemradio')).toBeNull();
});
