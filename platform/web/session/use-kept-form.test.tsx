// @vitest-environment jsdom
// Values typed into a form survive leaving its screen, except secrets and values that were sent.
import { act, fireEvent, screen, waitFor, within } from '@testing-library/react';
import { afterEach, beforeAll, beforeEach, expect, it, vi } from 'vitest';
import { endTestApp, renderAreas, startTestApp } from '../shell/test-app.tsx';
import { promptInput } from '../ui/input-dialog.tsx';
import { useKeptForm } from './use-kept-form.ts';

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

let send: () => Promise<unknown>;

function Form() {
  const { form, submit, discard } = useKeptForm('sender', {
    initialValues: { title: '', key: '' },
    secrets: ['key'],
    send: () => send(),
  });
  return (
    <form onSubmit={submit}>
      <input aria-label="Title" {...form.getInputProps('title')} />
      <input aria-label="Key" {...form.getInputProps('key')} />
      <button type="submit">Save</button>
      <button type="button" onClick={() => discard(() => undefined)}>
        Cancel
      </button>
    </form>
  );
}

const screens = [
  { path: '/form', frame: 'open' as const, load: async () => ({ default: Form }) },
  { path: '/away', frame: 'open' as const, load: async () => ({ default: () => <p>Away</p> }) },
];

beforeAll(() => startTestApp());
beforeEach(() => {
  storage.clear();
  send = async () => undefined;
  vi.stubGlobal('fetch', async () => new Response(JSON.stringify(session)));
});
afterEach(() => {
  endTestApp();
  vi.unstubAllGlobals();
});

async function openAndType() {
  const { router } = renderAreas([{ texts: [], screens }], '/form');
  fireEvent.change(await screen.findByLabelText('Title'), { target: { value: 'چای و لاله' } });
  fireEvent.change(screen.getByLabelText('Key'), { target: { value: 'a secret' } });
  const navigateTo = async (to: '/form' | '/away') => act(() => router.navigate({ to }));
  return { go: navigateTo };
}

const valueOf = (label: string) => screen.getByLabelText<HTMLInputElement>(label).value;

it('restores the input after the user left the screen, without secrets', async () => {
  const { go } = await openAndType();
  await go('/away');
  await screen.findByText('Away');
  await waitFor(() => expect([...storage.values()]).toEqual([{ title: 'چای و لاله' }]));
  await go('/form');
  await waitFor(() => expect(valueOf('Title')).toBe('چای و لاله'));
  expect(valueOf('Key')).toBe('');
});

it('stores nothing once the values were sent, even if the user leaves the screen during the call', async () => {
  let finish = () => undefined as void;
  send = () => new Promise<void>((resolve) => (finish = resolve));
  const { go } = await openAndType();
  fireEvent.click(screen.getByRole('button', { name: 'Save' }));
  await go('/away');
  await screen.findByText('Away');
  await waitFor(() => expect(storage.size).toBe(1));
  finish();
  await waitFor(() => expect(storage.size).toBe(0));
});

it('keeps the values if the call fails after the user left the screen', async () => {
  let fail = () => undefined as void;
  send = () => new Promise<void>((_, reject) => (fail = () => reject(new Error('offline'))));
  const { go } = await openAndType();
  fireEvent.click(screen.getByRole('button', { name: 'Save' }));
  await go('/away');
  fail();
  await go('/form');
  await waitFor(() => expect(valueOf('Title')).toBe('چای و لاله'));
});

it('stores nothing once the input was discarded', async () => {
  const { go } = await openAndType();
  await go('/away');
  await waitFor(() => expect(storage.size).toBe(1));
  await go('/form');
  await waitFor(() => expect(valueOf('Title')).toBe('چای و لاله'));
  fireEvent.click(screen.getByRole('button', { name: 'Cancel' }));
  await go('/away');
  await waitFor(() => expect(storage.size).toBe(0));
});

it('restores the input of a dialog after Escape and drops it on Cancel', async () => {
  renderAreas([{ texts: [], screens }], '/form');
  await screen.findByLabelText('Title');
  const openDialog = () =>
    void promptInput({ type: 'text', title: 'New group', label: 'Name', confirm: 'Create' });
  const field = () => screen.findByLabelText<HTMLInputElement>('Name');
  act(openDialog);
  fireEvent.change(await field(), { target: { value: 'Pirkėjai' } });
  fireEvent.keyDown(await field(), { key: 'Escape' });
  await waitFor(() => expect([...storage.values()]).toEqual(['Pirkėjai']));
  act(openDialog);
  await waitFor(async () => expect((await field()).value).toBe('Pirkėjai'));
  fireEvent.click(within(screen.getByRole('dialog')).getByRole('button', { name: 'Cancel' }));
  await waitFor(() => expect(storage.size).toBe(0));
});
