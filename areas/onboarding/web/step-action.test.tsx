// @vitest-environment jsdom
// The checklist's buttons: an address verified in the meantime is reported, for the specified time.
import { notificationsStore } from '@mantine/notifications';
import { fireEvent, screen, waitFor } from '@testing-library/react';
import { afterEach, beforeAll, expect, it, vi } from 'vitest';
import { endTestApp, renderPiece, startTestApp } from '#platform/web/shell/test-app.tsx';
import { StepAction } from './step-action.tsx';

beforeAll(() => startTestApp());
afterEach(() => {
  endTestApp();
  vi.unstubAllGlobals();
});

it('reports a verified address for four seconds, and offers no second email', async () => {
  const requestedUrls: string[] = [];
  vi.stubGlobal('fetch', async (url: string | URL | Request) => {
    requestedUrls.push(String(url));
    return Response.json({ data: { email_verified: true } });
  });
  renderPiece(<StepAction step="verify" />);
  fireEvent.click(screen.getByRole('button'));
  await waitFor(() => expect(notificationsStore.getState().notifications).toHaveLength(1));
  const [notice] = notificationsStore.getState().notifications;
  expect(JSON.stringify(notice?.message)).toContain('Email already verified!');
  // Milliseconds of the specification.
  expect(notice?.autoClose).toBe(4_000);
  expect(requestedUrls.some((url) => url.includes('/users/onboard'))).toBe(true);
  expect(screen.queryByRole('dialog')).toBeNull();
});
