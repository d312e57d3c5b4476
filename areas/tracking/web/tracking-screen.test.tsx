// @vitest-environment jsdom
// The tracking settings: the switches, the link hosts with their problems, and a check on request.
import { fireEvent, screen, waitFor } from '@testing-library/react';
import { afterEach, beforeAll, beforeEach, expect, test, vi } from 'vitest';
import { endTestApp, renderScreen, startTestApp } from '#platform/web/shell/test-app.tsx';
import type { Measuring } from '../contract.ts';
import TrackingScreen from './tracking-screen.tsx';

const checkedAt = '2026-03-02T09:00:00.000Z';
const PATH = '/settings/tracking';
let hosts: Measuring['hosts'];
let postedPaths: string[];
let savedBodies: object[];
let settings: { opens: boolean; clicks: boolean };
/** Functions that each release the delayed response to a save. */
let releases: (() => void)[];

beforeAll(() => startTestApp());
beforeEach(() => {
  postedPaths = [];
  savedBodies = [];
  releases = [];
  settings = { opens: true, clicks: true };
  hosts = [
    {
      domain: 'a.example',
      host: 'links.a.example',
      is_used: true,
      fault: null,
      checked: checkedAt,
    },
    {
      domain: 'b.example',
      host: 'links.b.example',
      is_used: false,
      fault: 'certificate',
      checked: checkedAt,
    },
    {
      domain: 'c.example',
      host: 'links.c.example',
      is_used: false,
      fault: 'elsewhere',
      checked: checkedAt,
    },
  ];
  vi.stubGlobal('fetch', async (input: string | URL | Request, init?: RequestInit) => {
    const url = String(input instanceof Request ? input.url : input);
    if (init?.method === 'PUT') {
      const body = JSON.parse(String(init.body)) as typeof settings;
      savedBodies.push(body);
      await new Promise<void>((release) => releases.push(release));
      settings = body;
    }
    if (init?.method === 'POST') {
      postedPaths.push(new URL(url, 'http://localhost').pathname);
      hosts = hosts.map((host) => ({ ...host, is_used: true, fault: null }));
    }
    return Response.json({ data: { ...settings, hosts } });
  });
});
afterEach(() => {
  endTestApp();
  vi.unstubAllGlobals();
});

test('each host is shown as in use or with its problem, and a button checks all hosts again', async () => {
  renderScreen(TrackingScreen, { at: PATH });
  expect(await screen.findByText('No valid certificate')).toBeTruthy();
  expect(screen.getByText(/The operator of this installation has to set one up/)).toBeTruthy();
  expect(screen.getByText('Another server answers')).toBeTruthy();
  expect(screen.getAllByText('In use')).toHaveLength(1);
  fireEvent.click(screen.getByRole('button', { name: 'Check now' }));
  await waitFor(() => expect(screen.getAllByText('In use')).toHaveLength(3));
  expect(postedPaths).toEqual(['/client-api/api/tracking/hosts/check']);
  expect(screen.queryByText('Another server answers')).toBeNull();
});

test('a switch keeps the focus while it is saved', async () => {
  renderScreen(TrackingScreen, { at: PATH });
  const [opens] = (await screen.findAllByRole('switch')) as [HTMLElement];
  opens.focus();
  fireEvent.click(opens);
  await waitFor(() => expect(opens).toHaveProperty('checked', false));
  expect(opens).toHaveProperty('disabled', false);
  expect(document.activeElement).toBe(opens);
});

test('a switch changed during another save is saved after it', async () => {
  renderScreen(TrackingScreen, { at: PATH });
  const [opens, clicks] = (await screen.findAllByRole('switch')) as [HTMLElement, HTMLElement];
  fireEvent.click(opens);
  await waitFor(() => expect(opens).toHaveProperty('checked', false));
  fireEvent.click(clicks);
  await waitFor(() => expect(clicks).toHaveProperty('checked', false));
  expect(savedBodies).toEqual([{ opens: false, clicks: true }]);
  releases[0]?.();
  await waitFor(() => expect(savedBodies).toHaveLength(2));
  expect(savedBodies[1]).toEqual({ opens: false, clicks: false });
  releases[1]?.();
  await waitFor(() => expect(settings).toEqual({ opens: false, clicks: false }));
});

test('the screen links to the sending domains if the account has no link host', async () => {
  hosts = [];
  renderScreen(TrackingScreen, { at: PATH });
  const link = await screen.findByRole('link', { name: 'Go to sending domains' });
  expect(link.getAttribute('href')).toBe('/settings/domains');
});
