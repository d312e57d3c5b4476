// Unsaved edits are stored in the short time before a page closes.
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { flushUnsaved, readUnsaved, watchUnsaved } from './unsaved.ts';

const actions: string[] = [];
const storage = new Map<string, unknown>();

/**
 * Simulates the part of IndexedDB used here: every request starts immediately and completes later.
 */
function database() {
  const respond = (result?: unknown) => {
    const request = { result, onsuccess: undefined as undefined | (() => void) };
    setTimeout(() => request.onsuccess?.());
    return request;
  };
  const table = {
    put: (value: unknown, key: string) => {
      actions.push('put');
      storage.set(key, value);
      return respond();
    },
    get: (key: string) => respond(storage.get(key)),
  };
  const transaction = () => {
    const running = {
      objectStore: () => table,
      commit: () => actions.push('commit'),
      oncomplete: undefined as undefined | (() => void),
    };
    setTimeout(() => running.oncomplete?.());
    return running;
  };
  return { open: () => respond({ transaction, close: () => undefined }) };
}

beforeEach(() => {
  vi.stubGlobal('indexedDB', database());
  actions.length = 0;
});
afterEach(() => vi.unstubAllGlobals());

it("stores an open editor's edits immediately and returns them only to the same owner", async () => {
  const stop = watchUnsaved('ann/1', 'campaign:new', () => ({ title: 'Half written' }));
  watchUnsaved('ann/1', 'campaign:saved', () => undefined)();
  await readUnsaved('ann/1', 'campaign:new');
  const flushing = flushUnsaved();
  expect(actions.slice(-2)).toEqual(['put', 'commit']);
  await flushing;
  stop();
  expect(await readUnsaved('ann/1', 'campaign:new')).toEqual({ title: 'Half written' });
  expect(await readUnsaved('bob/1', 'campaign:new')).toBeUndefined();
  expect([...storage.keys()]).toEqual(['ann/1/campaign:new']);
  expect(actions.filter((action) => action === 'put')).toHaveLength(1);
});
