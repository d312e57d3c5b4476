// @vitest-environment jsdom
// The screen of fields.
import { fireEvent, screen, waitFor } from '@testing-library/react';
import { afterEach, beforeAll, expect, it, vi } from 'vitest';
import { queryClient } from '#platform/web/api/queries.ts';
import { sessionQuery } from '#platform/web/session/session.ts';
import { endTestApp, renderScreen, startTestApp } from '#platform/web/shell/test-app.tsx';
import FieldsScreen from './fields-screen.tsx';

beforeAll(() => startTestApp());
afterEach(() => {
  endTestApp();
  vi.unstubAllGlobals();
});

it('closing the dialog of a new field returns the focus to the button that opened it', async () => {
  const at = '2026-01-01T00:00:00.000Z';
  const field = { id: 'f1', name: 'shoe', title: 'Shoe', type: 'text', created: at, modified: at };
  const meta = { from: 1, to: 1, page: 1, pageCount: 1, total: 1, perPage: 10 };
  const session = { user: { id: 'u', language: 'eng' }, account: { id: 'a', timezone: 'UTC' } };
  vi.stubGlobal('fetch', async (input: string) =>
    Response.json(String(input).includes('/users') ? { data: session } : { data: [field], meta }),
  );
  // The app loads the session before any screen.
  await queryClient.fetchQuery(sessionQuery);
  renderScreen(FieldsScreen, { at: '/subscribers/fields' });
  await screen.findByText('Shoe');
  const button = screen.getByRole('button', { name: 'Create field' });
  button.focus();
  fireEvent.click(button);
  const title = await screen.findByLabelText('Title');
  await waitFor(() => expect(document.activeElement).toBe(title));
  fireEvent.keyDown(title, { key: 'Escape' });
  await waitFor(() => expect(screen.queryByRole('dialog')).toBeNull());
  await waitFor(() => expect(document.activeElement).toBe(button));
});
