// @vitest-environment jsdom
// An error is shown if notes cannot be loaded, because an empty list would mean that there are
// none.
import { fireEvent, screen } from '@testing-library/react';
import { afterEach, beforeAll, expect, it, vi } from 'vitest';
import { endTestApp, renderScreen, startTestApp } from '#platform/web/shell/test-app.tsx';
import ItemNotes from './item-notes.tsx';

beforeAll(() => startTestApp());
afterEach(() => {
  endTestApp();
  vi.unstubAllGlobals();
});

it('notes that could not be loaded show an error and can be loaded again', async () => {
  let isFailing = true;
  const note = { id: 'n', text: 'Ask Ada', author: 'Bob', at: '2026-01-01T00:00:00Z' };
  vi.stubGlobal('fetch', async () =>
    isFailing
      ? Response.json({ message: 'Not now.', code: 'server_error' }, { status: 500 })
      : Response.json({ data: [note] }),
  );
  renderScreen(() => <ItemNotes base="/client-api/api/campaigns" id="x" />, { at: '/' });
  await screen.findByRole('alert', undefined, { timeout: 10_000 });
  isFailing = false;
  fireEvent.click(screen.getByRole('button', { name: 'Try again' }));
  expect(await screen.findByText('Ask Ada')).toBeTruthy();
  expect(screen.queryByRole('alert')).toBeNull();
});
