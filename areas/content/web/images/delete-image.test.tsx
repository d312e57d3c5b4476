// @vitest-environment jsdom
// An image is deleted only after its uses were loaded; if they fail to load, it is kept.
import { fireEvent, screen, waitFor } from '@testing-library/react';
import { afterEach, beforeAll, expect, it, vi } from 'vitest';
import { endTestApp, renderScreen, startTestApp } from '#platform/web/shell/test-app.tsx';
import LibraryDialog from './library-dialog.tsx';

const image = {
  ...{ id: 'i1', name: 'Tea.png', src: '/i/a/b.png', thumbnail_src: '/i/a/b-s.webp' },
  ...{ format: 'png', is_animated: false, width: 3, height: 2, bytes: 100 },
  ...{ created: '2026-01-01T00:00:00.000Z', modified: '2026-01-01T00:00:00.000Z' },
};

beforeAll(() => startTestApp());
afterEach(() => {
  endTestApp();
  vi.unstubAllGlobals();
});

it('shows an error with a retry if the uses of the image cannot be loaded', async () => {
  let isDown = true;
  const deletions: unknown[] = [];
  vi.stubGlobal('fetch', async (input: string, init?: RequestInit) => {
    if (init?.method === 'DELETE') deletions.push(JSON.parse(String(init.body)));
    if (!input.endsWith('/uses')) return Response.json({ data: deletions.length ? [] : [image] });
    if (isDown) return Response.json({}, { status: 500 });
    return Response.json({ data: [{ kind: 'campaign', id: 'c', title: 'Spring' }] });
  });
  renderScreen(() => <LibraryDialog onChoose={() => undefined} close={() => undefined} />);
  fireEvent.click(await screen.findByRole('button', { name: 'Tea.png' }));
  fireEvent.click(screen.getByRole('button', { name: 'Delete' }));
  expect(await screen.findByText('The image was not deleted')).toBeTruthy();
  expect(screen.getByText('We could not check where “Tea.png” is used. Try again.')).toBeTruthy();
  // After the user leaves the image, no retry is offered.
  fireEvent.click(screen.getByRole('button', { name: 'Back' }));
  await waitFor(() => expect(screen.queryByText('The image was not deleted')).toBeNull());
  fireEvent.click(await screen.findByRole('button', { name: 'Tea.png' }));
  fireEvent.click(screen.getByRole('button', { name: 'Delete' }));
  expect(await screen.findByText('The image was not deleted')).toBeTruthy();
  isDown = false;
  fireEvent.click(screen.getByRole('button', { name: 'Try again' }));
  expect(await screen.findByText(/is used in the email “Spring”/)).toBeTruthy();
  expect(deletions).toEqual([]);
  fireEvent.click(screen.getByRole('button', { name: 'Delete anyway' }));
  await waitFor(() => expect(deletions).toEqual([{ force: true }]));
});
