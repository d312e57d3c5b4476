// @vitest-environment jsdom
// A subscriber's history, page by page: a failed page is reported, and requested again by the
// button.
import { fireEvent, screen, waitFor } from '@testing-library/react';
import { afterEach, beforeAll, expect, it, vi } from 'vitest';
import { endTestApp, renderScreen, startTestApp } from '#platform/web/shell/test-app.tsx';
import { History } from './history.tsx';

beforeAll(async () => {
  await startTestApp();
  // jsdom has none: scrolling does not happen here.
  vi.stubGlobal(
    'IntersectionObserver',
    class {
      observe(): void {}
      disconnect(): void {}
    },
  );
});
afterEach(endTestApp);

const opened = (subject: string) => ({
  action: 'opened',
  at: '2026-03-02T09:00:00.000Z',
  channel: 'email',
  message: { id: `m ${subject}`, kind: 'letter', subject, campaign: null },
  url: null,
  detail: null,
});

it('reports a failed next page, and keeps the loaded ones', async () => {
  let isBroken = true;
  vi.stubGlobal('fetch', async (url: string) => {
    const isNext = String(url).includes('after=next');
    if (isNext && isBroken) return Response.json({ message: '' }, { status: 500 });
    return Response.json(
      isNext
        ? { data: [opened('Second')], meta: { next: null } }
        : { data: [opened('First')], meta: { next: 'next' } },
    );
  });
  renderScreen(() => <History id="s" />, { at: '/subscribers/s/view' });
  const more = await screen.findByRole('button', { name: 'Show more' });
  expect(screen.queryByRole('alert')).toBeNull();
  fireEvent.click(more);
  await screen.findByRole('alert');
  expect(screen.getByText('First')).toBeTruthy();
  isBroken = false;
  fireEvent.click(more);
  await screen.findByText('Second');
  await waitFor(() => expect(screen.queryByRole('alert')).toBeNull());
});
