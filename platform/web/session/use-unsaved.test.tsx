// @vitest-environment jsdom
// Leaving a screen with unsaved edits asks for confirmation; other navigation does not.
import { act, fireEvent, screen, waitFor } from '@testing-library/react';
import { afterEach, beforeAll, beforeEach, expect, it, vi } from 'vitest';
import { endTestApp, renderAreas, startTestApp } from '../shell/test-app.tsx';
import { useUnsaved } from './use-unsaved.ts';

const session = {
  data: {
    user: { id: 'u', email: 'ada@tea.example', name: 'Ada', surname: null, language: 'eng' },
    account: { id: 'a', title: 'Nordic Tea', timezone: 'Europe/Oslo', country: 'NO' },
  },
};

function Form() {
  useUnsaved({ name: 'form', unsaved: { title: 'x' }, restore: () => undefined, guard: true });
  return <p>The form</p>;
}

const screens = [
  { path: '/form', frame: 'open' as const, load: async () => ({ default: Form }) },
  { path: '/away', frame: 'open' as const, load: async () => ({ default: () => <p>Away</p> }) },
];

beforeAll(() => startTestApp());
beforeEach(() => {
  vi.stubGlobal('fetch', async () => new Response(JSON.stringify(session)));
});
afterEach(() => {
  endTestApp();
  vi.unstubAllGlobals();
});

it('asks before the screen is left, and not when only its address changes', async () => {
  const { router } = renderAreas([{ texts: [], screens }], '/form');
  await screen.findByText('The form');
  await act(async () => {
    await Promise.race([
      router.navigate({ to: '/form', search: { tab: 'more' } as never }),
      new Promise((done) => setTimeout(done, 500)),
    ]);
  });
  expect(screen.queryByRole('dialog')).toBeNull();
  await waitFor(() => expect(router.state.location.search).toEqual({ tab: 'more' }));

  act(() => void router.navigate({ to: '/away' }));
  await screen.findByRole('dialog');
  expect(screen.getByText('The form')).toBeTruthy();
  fireEvent.click(screen.getByRole('button', { name: 'Leave without saving' }));
  await screen.findByText('Away');
});
