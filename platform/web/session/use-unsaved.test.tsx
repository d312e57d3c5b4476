// @vitest-environment jsdom
// Unsaved edits are stored without a question when the user leaves the screen, and restored later.
import { act, fireEvent, screen, waitFor } from '@testing-library/react';
import { useState } from 'react';
import { afterEach, beforeAll, beforeEach, expect, it, vi } from 'vitest';
import { endTestApp, renderAreas, startTestApp } from '../shell/test-app.tsx';
import { useUnsaved } from './use-unsaved.ts';

const session = {
  data: {
    user: { id: 'u', email: 'ada@tea.example', name: 'Ada', surname: null, language: 'eng' },
    account: { id: 'a', title: 'Nordic Tea', timezone: 'Europe/Oslo', country: 'NO' },
  },
};

const storage = new Map<string, unknown>();
vi.mock('../unsaved.ts', () => ({
  saveUnsaved: async (owner: string, name: string, edit: unknown) =>
    void storage.set(`${owner}/${name}`, edit),
  readUnsaved: async (owner: string, name: string) => storage.get(`${owner}/${name}`),
  discardUnsaved: async (owner: string, name: string) => void storage.delete(`${owner}/${name}`),
  flushUnsaved: async () => undefined,
  watchUnsaved: () => () => undefined,
}));

function Form() {
  const [title, setTitle] = useState('');
  useUnsaved({
    name: 'form',
    unsaved: title === '' ? undefined : title,
    restore: setTitle,
    discard: () => setTitle(''),
    onLeave: 'store',
  });
  return (
    <input
      aria-label="Title"
      value={title}
      onChange={(event) => setTitle(event.currentTarget.value)}
    />
  );
}

const screens = [
  { path: '/form', frame: 'open' as const, load: async () => ({ default: Form }) },
  { path: '/away', frame: 'open' as const, load: async () => ({ default: () => <p>Away</p> }) },
];

beforeAll(() => startTestApp());
beforeEach(() => {
  storage.clear();
  vi.stubGlobal('fetch', async () => new Response(JSON.stringify(session)));
});
afterEach(() => {
  endTestApp();
  vi.unstubAllGlobals();
});

const getTitleInput = () => screen.getByLabelText<HTMLInputElement>('Title').value;

it('stores edits without a prompt when the user leaves the screen, and restores them', async () => {
  const { router } = renderAreas([{ texts: [], screens }], '/form');
  fireEvent.change(await screen.findByLabelText('Title'), { target: { value: 'چای' } });
  await act(() => router.navigate({ to: '/away' }));
  await screen.findByText('Away');
  expect(screen.queryByRole('dialog')).toBeNull();
  await waitFor(() => expect([...storage]).toEqual([['u/a/form', 'چای']]));
  await act(() => router.navigate({ to: '/form' }));
  await waitFor(() => expect(getTitleInput()).toBe('چای'));
});

it('stores edits within half a second, while the screen remains open', async () => {
  renderAreas([{ texts: [], screens }], '/form');
  fireEvent.change(await screen.findByLabelText('Title'), { target: { value: 'Te' } });
  fireEvent.change(screen.getByLabelText('Title'), { target: { value: 'Tea' } });
  expect(storage.size).toBe(0);
  await waitFor(() => expect([...storage]).toEqual([['u/a/form', 'Tea']]));
  fireEvent.change(screen.getByLabelText('Title'), { target: { value: '' } });
  await waitFor(() => expect(storage.size).toBe(0));
});

it('drops restored edits on Discard', async () => {
  storage.set('u/a/form', 'Tea');
  renderAreas([{ texts: [], screens }], '/form');
  await screen.findByText('Your unsaved changes are back.');
  expect(getTitleInput()).toBe('Tea');
  fireEvent.click(screen.getByRole('button', { name: 'Discard' }));
  await waitFor(() => expect(getTitleInput()).toBe(''));
  await waitFor(() => expect(storage.size).toBe(0));
});
