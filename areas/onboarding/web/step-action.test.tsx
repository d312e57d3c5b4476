// @vitest-environment jsdom
// The checklist's buttons: if the address has since been verified, a notice reports this for four
// seconds. The checklist links to the setup of SMS.
import { notificationsStore } from '@mantine/notifications';
import { fireEvent, screen, waitFor } from '@testing-library/react';
import { afterEach, beforeAll, expect, it, vi } from 'vitest';
import { queryClient } from '#platform/web/api/queries.ts';
import { sampleSession } from '#platform/web/session/sample-session.ts';
import {
  endTestApp,
  renderComponent,
  renderScreen,
  startTestApp,
} from '#platform/web/shell/test-app.tsx';
import ChecklistScreen from './checklist-screen.tsx';
import { StepAction } from './step-action.tsx';

beforeAll(() => startTestApp());
afterEach(() => {
  endTestApp();
  queryClient.clear();
  vi.unstubAllGlobals();
});

it('the button shows a four-second notice if the address is already verified, and sends no email', async () => {
  const requestedUrls: string[] = [];
  vi.stubGlobal('fetch', async (url: string | URL | Request) => {
    requestedUrls.push(String(url));
    return Response.json({ data: { email_verified: true } });
  });
  renderComponent(<StepAction step="verify" />);
  fireEvent.click(screen.getByRole('button'));
  await waitFor(() => expect(notificationsStore.getState().notifications).toHaveLength(1));
  const [notice] = notificationsStore.getState().notifications;
  expect(JSON.stringify(notice?.message)).toContain('Email already verified!');
  expect(notice?.autoClose).toBe(4_000);
  expect(requestedUrls.some((url) => url.includes('/users/onboard'))).toBe(true);
  expect(screen.queryByRole('dialog')).toBeNull();
});

it('the checklist links to the SMS setup at every step', async () => {
  const [freshFlags, later]: Record<string, boolean>[] = [
    {},
    { registration_completed: true, email_verified: true, email_sent: true },
  ];
  let flags = freshFlags;
  const session = { ...sampleSession, user: { ...sampleSession.user, tour: 0 } };
  vi.stubGlobal('fetch', async (url: string | URL | Request) => {
    const path = String(url).split('?')[0] ?? '';
    if (path.endsWith('/users')) return Response.json({ data: session });
    if (path.endsWith('/users/onboard')) return Response.json({ data: flags });
    return Response.json({ data: [] });
  });
  for (flags of [freshFlags, later]) {
    renderScreen(ChecklistScreen, { at: '/complete-registration' });
    const link = await screen.findByRole('link', { name: 'Set up SMS' });
    expect(link.getAttribute('href')).toBe('/users/sms_onboard');
    endTestApp();
    queryClient.clear();
  }
});
