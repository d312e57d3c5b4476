// @vitest-environment jsdom
// Test mode is announced once per page: a screen's note replaces the text of the banner.
import { screen, waitFor } from '@testing-library/react';
import { afterEach, beforeAll, beforeEach, expect, test, vi } from 'vitest';
import { endTestApp, renderComponent, startTestApp } from '../shell/test-app.tsx';
import { TestModeBanner, TestModeNote, ToolNote } from './test-mode.tsx';

const session = {
  data: {
    user: { id: 'u', email: 'ada@tea.example', name: 'Ada', surname: null, language: 'eng' },
    account: { id: 'a', title: 'Nordic Tea', timezone: 'Europe/Oslo', country: 'NO' },
    test_inbox: true,
    test_tools: [],
  },
};

beforeAll(() => startTestApp());
beforeEach(() => {
  vi.stubGlobal('fetch', async () => new Response(JSON.stringify(session), { status: 200 }));
});
afterEach(() => {
  endTestApp();
  vi.unstubAllGlobals();
});

const NOTE = 'Test mode: nothing leaves.';

test('a note replaces the text of the banner while its screen is shown', async () => {
  const { unmount } = renderComponent(
    <>
      <TestModeBanner />
      <TestModeNote>{NOTE}</TestModeNote>
    </>,
  );
  await waitFor(() => expect(screen.getByRole('complementary').textContent).toContain(NOTE));
  expect(screen.getAllByText(/test mode/i)).toHaveLength(1);
  expect(screen.queryByRole('note')).toBeNull();
  unmount();
  renderComponent(<TestModeBanner />);
  expect((await screen.findByRole('complementary')).textContent).toContain(
    'Emails stay in the test inbox and reach nobody.',
  );
});

test('a screen without a banner shows the note itself, with a link to its tool', async () => {
  renderComponent(<ToolNote text={NOTE} href="/phone" linkText="Open the phone" />);
  expect(screen.getByRole('note').textContent).toContain(NOTE);
  expect(screen.getByRole('link', { name: 'Open the phone' }).getAttribute('href')).toBe('/phone');
});
