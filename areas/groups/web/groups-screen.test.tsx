// @vitest-environment jsdom
// The screen of groups.
import { fireEvent, screen, waitFor } from '@testing-library/react';
import { afterEach, beforeAll, expect, it, vi } from 'vitest';
import { endTestApp, renderScreen, startTestApp } from '#platform/web/shell/test-app.tsx';
import GroupsScreen from './groups-screen.tsx';

beforeAll(() => startTestApp());
afterEach(() => {
  endTestApp();
  vi.unstubAllGlobals();
});

it('a canceled deletion returns the focus to the menu button of its row', async () => {
  const at = '2026-01-01T00:00:00.000Z';
  const group = { id: 'g1', title: 'Friends', is_public: false, created: at, modified: at };
  const meta = { from: 1, to: 1, page: 1, pageCount: 1, total: 1, perPage: 10 };
  vi.stubGlobal('fetch', async () =>
    Response.json({ data: [{ ...group, recipient_count: 2 }], meta }),
  );
  renderScreen(GroupsScreen, { at: '/subscribers/tags' });
  const name = 'Actions for Friends';
  fireEvent.click(await screen.findByRole('button', { name }));
  const item = await screen.findByRole('menuitem', { name: 'Delete' });
  item.focus();
  fireEvent.click(item);
  const dialog = await screen.findByRole('dialog');
  await waitFor(() => expect(dialog.contains(document.activeElement)).toBe(true));
  fireEvent.keyDown(document.activeElement ?? dialog, { key: 'Escape' });
  await waitFor(() => expect(screen.queryByRole('dialog')).toBeNull());
  await waitFor(() => expect(document.activeElement).toBe(screen.getByRole('button', { name })));
});
