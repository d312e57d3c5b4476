// @vitest-environment jsdom
// The selection of a list remains after a failed action, so that it can be repeated.
import { fireEvent, screen } from '@testing-library/react';
import { afterEach, beforeAll, expect, test, vi } from 'vitest';
import { endTestApp, renderComponent, startTestApp } from '#platform/web/shell/test-app.tsx';
import BulkBar from './bulk-bar.tsx';

beforeAll(() => startTestApp());
afterEach(() => {
  endTestApp();
  vi.unstubAllGlobals();
});

const PLACE = { kind: 'campaign', base: '/client-api/api/campaigns' } as const;

test.each([
  ['Archive', 500, 0],
  ['Archive', 200, 1],
  ['Duplicate', 500, 0],
  ['Duplicate', 200, 1],
])(
  'after %s with status %i the selection is cleared %i times',
  async (action, status, clearCount) => {
    const data = { ids: ['a'], skipped: 0 };
    const body = status === 200 ? { success: true, data } : { success: false, code: 'internal' };
    const send = vi.fn<() => Promise<Response>>(async () => Response.json(body, { status }));
    vi.stubGlobal('fetch', send);
    const clear = vi.fn<() => void>();
    renderComponent(<BulkBar place={PLACE} ids={['a']} isArchive={false} clear={clear} />);
    fireEvent.click(screen.getByRole('button', { name: action }));
    await vi.waitFor(() =>
      expect(document.querySelector('[role=alert], [role=status]')).not.toBeNull(),
    );
    expect(send).toHaveBeenCalled();
    expect(clear).toHaveBeenCalledTimes(clearCount);
  },
);
