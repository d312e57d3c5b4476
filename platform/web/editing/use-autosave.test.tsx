// @vitest-environment jsdom
// Autosave on a bad network, in two tabs and over days: no edit is lost, and no other version is
// overwritten.
import { act, screen, waitFor } from '@testing-library/react';
import { useEffect } from 'react';
import { afterEach, beforeAll, beforeEach, expect, test, vi } from 'vitest';
import { ApiError } from '#platform/web/api-error.ts';
import { endTestApp, renderScreen, startTestApp } from '#platform/web/shell/test-app.tsx';
import { type Autosave, type AutosaveSource, useAutosave } from './use-autosave.ts';

type Server = { value: string; revision: number };
const browser = vi.hoisted(() => ({
  kept: undefined as unknown,
  watched: () => undefined as unknown,
}));
vi.mock('#platform/web/unsaved.ts', () => ({
  readUnsaved: async () => browser.kept,
  discardUnsaved: async () => {
    browser.kept = undefined;
  },
  watchUnsaved: (_user: string, _name: string, read: () => unknown) => {
    browser.watched = read;
    return () => undefined;
  },
  saveUnsaved: async (_user: string, _name: string, edit: unknown) => {
    browser.kept = edit;
  },
  flushUnsaved: async () => undefined,
}));

const session = {
  data: {
    user: { id: 'u', email: 'ada@tea.example', name: 'Ada', surname: null, language: 'eng' },
    account: { id: 'a', title: 'Nordic Tea', timezone: 'Europe/Oslo', country: 'NO' },
  },
};
const failure = (status: number, code: string) =>
  new ApiError({ status, code, message: code, errors: {}, showsServerMessage: false });

let server: Server;
/** Values and revisions of the saves, in order. */
let saves: [string, number][];
/** Errors of the next saves. */
let failures: ('lost' | 'refused')[];
let autosave: Autosave<string>;

const source: AutosaveSource<string> = {
  name: 'mail:1',
  load: async () => ({ ...server, saved_at: null }),
  save: async (value, revision) => {
    saves.push([value, revision]);
    const failing = failures.shift();
    if (failing === 'refused') throw failure(422, 'document_invalid');
    const isRepeat = revision === server.revision - 1 && value === server.value;
    if (!isRepeat && revision !== server.revision) throw failure(409, 'stale_revision');
    if (!isRepeat) server = { value, revision: revision + 1 };
    if (failing === 'lost') throw failure(0, 'network');
    return { revision: server.revision, saved_at: null };
  },
};

function Writing() {
  const now = useAutosave(source);
  useEffect(() => {
    autosave = now;
  });
  return <p>{now.value === undefined ? 'Loading' : `Words: ${now.value}`}</p>;
}

beforeAll(() => startTestApp());
beforeEach(() => {
  vi.stubGlobal('fetch', async () => new Response(JSON.stringify(session), { status: 200 }));
  server = { value: 'one', revision: 1 };
  saves = [];
  failures = [];
  browser.kept = undefined;
});
afterEach(() => {
  endTestApp();
  vi.unstubAllGlobals();
});

async function write(text: string): Promise<boolean> {
  act(() => autosave.change(text));
  let isSaved = false;
  await act(async () => {
    isSaved = await autosave.flush();
  });
  return isSaved;
}

test('autosave first repeats a save whose response was lost, then saves newer edits without a conflict', async () => {
  renderScreen(Writing);
  await screen.findByText('Words: one');
  failures = ['lost'];
  expect(await write('two')).toBe(false);
  expect(server).toEqual({ value: 'two', revision: 2 });
  expect(autosave.saving).toBe('failed');
  expect(await write('three')).toBe(true);
  expect(saves).toEqual([
    ['two', 1],
    ['two', 1],
    ['three', 2],
  ]);
  expect(server).toEqual({ value: 'three', revision: 3 });
  expect([autosave.isStale, autosave.saving]).toEqual([false, 'saved']);
});

test('autosave repeats a save that never arrived', async () => {
  renderScreen(Writing);
  await screen.findByText('Words: one');
  const { save } = source;
  source.save = async () => {
    throw failure(0, 'network');
  };
  expect(await write('two')).toBe(false);
  source.save = save;
  expect(await write('three')).toBe(true);
  expect(server).toEqual({ value: 'three', revision: 3 });
});

test('edits stored in the browser do not overwrite a newer saved version', async () => {
  renderScreen(Writing);
  await screen.findByText('Words: one');
  act(() => autosave.change('mine'));
  await waitFor(() => expect(browser.watched()).toEqual({ value: 'mine', revision: 1 }));
  browser.kept = browser.watched();
  failures = ['refused'];
  endTestApp();
  // Another tab saves twice before this tab is reopened.
  server = { value: 'theirs', revision: 3 };
  failures = [];
  renderScreen(Writing);
  await screen.findByText('Words: mine');
  await act(async () => {
    await autosave.flush();
  });
  expect(server).toEqual({ value: 'theirs', revision: 3 });
  expect(autosave.isStale).toBe(true);
  await act(() => autosave.resolveConflict('theirs'));
  await screen.findByText('Words: theirs');

  // If no other tab has saved since then, the stored edit is saved.
  endTestApp();
  browser.kept = { value: 'mine', revision: 3 };
  renderScreen(Writing);
  await screen.findByText('Words: mine');
  await waitFor(() => expect(server).toEqual({ value: 'mine', revision: 4 }), { timeout: 5000 });
  expect(autosave.isStale).toBe(false);
});

test.each(['not received', 'response lost', 'refused'])(
  'if the save fails when the user leaves, the browser keeps the edit: %s',
  async (cause) => {
    renderScreen(Writing);
    await screen.findByText('Words: one');
    const { save } = source;
    source.save = async (...what) => {
      if (cause === 'response lost') await save(...what);
      throw cause === 'refused' ? failure(422, 'document_invalid') : failure(0, 'network');
    };
    act(() => autosave.change('two'));
    endTestApp();
    await waitFor(() => expect(browser.kept).toEqual({ value: 'two', revision: 1 }));
    source.save = async (...what) => {
      if (cause === 'refused' && what[0] === 'two') throw failure(422, 'document_invalid');
      return await save(...what);
    };
    renderScreen(Writing);
    await screen.findByText('Words: two');
    // The text of the failed save must not be treated as text of another tab.
    expect(await write('three')).toBe(true);
    expect(server.value).toBe('three');
    expect([autosave.isStale, autosave.saving]).toEqual([false, 'saved']);
    await waitFor(() => expect(browser.kept).toBeUndefined());
    source.save = save;
  },
);

test('an edit that is saved when the user leaves is removed from the browser', async () => {
  renderScreen(Writing);
  await screen.findByText('Words: one');
  act(() => autosave.change('two'));
  endTestApp();
  await waitFor(() => expect(server).toEqual({ value: 'two', revision: 2 }));
  await waitFor(() => expect(browser.kept).toBeUndefined());
});

test('autosave restores an edit whose save was pending when the user left, and stores later edits', async () => {
  renderScreen(Writing);
  await screen.findByText('Words: one');
  const { save } = source;
  let respond = () => undefined as unknown;
  source.save = (...what) =>
    new Promise((resolve) => {
      respond = () => resolve(save(...what));
    });
  act(() => autosave.change('two'));
  endTestApp();
  source.save = async () => {
    throw failure(0, 'network');
  };
  renderScreen(Writing);
  await screen.findByText('Words: two');
  act(() => autosave.change('three'));
  endTestApp();
  await waitFor(() => expect(browser.kept).toEqual({ value: 'three', revision: 1 }));
  await act(async () => void respond());
  await waitFor(() => expect(server).toEqual({ value: 'two', revision: 2 }));
  await new Promise((resolve) => setTimeout(resolve, 50));
  expect(browser.kept).toEqual({ value: 'three', revision: 1 });
  source.save = save;
});

test('autosave shows a refusal once and does not retry until the next edit', async () => {
  vi.useFakeTimers({ shouldAdvanceTime: true });
  try {
    renderScreen(Writing);
    await screen.findByText('Words: one');
    failures = ['refused', 'refused'];
    expect(await write('bad')).toBe(false);
    await act(() => vi.advanceTimersByTimeAsync(60_000));
    expect(saves).toEqual([['bad', 1]]);
    expect(await write('good')).toBe(false);
    failures = ['lost'];
    expect(await write('better')).toBe(false);
    await act(() => vi.advanceTimersByTimeAsync(16_000));
    expect(server).toEqual({ value: 'better', revision: 2 });
    expect(autosave.saving).toBe('saved');
  } finally {
    vi.useRealTimers();
  }
});

test("autosave reports that another tab's version cannot be loaded and keeps the local version", async () => {
  renderScreen(Writing);
  await screen.findByText('Words: one');
  const { load } = source;
  source.load = () => Promise.reject(failure(500, 'down'));
  await act(() => autosave.resolveConflict('theirs'));
  source.load = load;
  expect(await screen.findByText('down')).toBeTruthy();
  expect(screen.getByText('Words: one')).toBeTruthy();
});

test('autosave repeats a failed initial load on request', async () => {
  const { load } = source;
  let isDown = true;
  source.load = () => (isDown ? Promise.reject(failure(500, 'down')) : load());
  renderScreen(Writing);
  await waitFor(() => expect(autosave.error).toBeTruthy());
  isDown = false;
  act(() => autosave.reload());
  expect(await screen.findByText('Words: one')).toBeTruthy();
  expect(autosave.error).toBeNull();
  source.load = load;
});
