// @vitest-environment jsdom
// The language that is shown is the one chosen last, and the one that is remembered.
import { afterEach, beforeAll, beforeEach, expect, it, vi } from 'vitest';
import { queryClient } from './queries.ts';
import { sampleSession } from './sample-session.ts';
import { chooseLanguage, sessionQuery } from './session.ts';
import { endTestApp, startTestApp } from './test-app.tsx';
import { currentLanguage, showLanguage } from './texts.ts';

const { lithuanian, latvian } = vi.hoisted(() => {
  const late = () => {
    const { promise: arrived, resolve: arrive } = Promise.withResolvers<void>();
    return { arrive, arrived };
  };
  return { lithuanian: late(), latvian: late() };
});
vi.mock('./catalogues/lit.ts', async (load) => {
  await lithuanian.arrived;
  return load();
});
vi.mock('./catalogues/lav.ts', async (load) => {
  await latvian.arrived;
  return load();
});

let status: number;
const patches: unknown[] = [];
/** What the next save waits for. */
let saving: Promise<void> | undefined;
const remembered = () => queryClient.getQueryData(sessionQuery.queryKey)?.user.language;

beforeAll(() => startTestApp());
beforeEach(async () => {
  await showLanguage('eng');
  status = 200;
  saving = undefined;
  patches.length = 0;
  queryClient.setQueryData(sessionQuery.queryKey, sampleSession);
  vi.stubGlobal('fetch', async (_input: string, init?: RequestInit) => {
    patches.push(JSON.parse(String(init?.body)));
    const answer = new Response('{}', { status });
    await saving;
    return answer;
  });
});
afterEach(() => {
  vi.unstubAllGlobals();
  endTestApp();
});

it('goes back to the language before where another one cannot be remembered', async () => {
  status = 500;
  await chooseLanguage('nor');
  expect(patches).toEqual([{ language: 'nor' }]);
  expect(remembered()).toBe('eng');
  expect(currentLanguage()).toBe('eng');
});

it('stays with the language chosen last, however late an earlier one arrives', async () => {
  const earlier = chooseLanguage('lit');
  await chooseLanguage('nor');
  lithuanian.arrive();
  await earlier;
  expect(currentLanguage()).toBe('nor');
  expect(remembered()).toBe('nor');
  expect(patches).toEqual([{ language: 'nor' }]);
});

it('goes on to the language chosen last where the save of an earlier one fails meanwhile', async () => {
  const { promise, resolve: answer } = Promise.withResolvers<void>();
  saving = promise;
  status = 500;
  const earlier = chooseLanguage('nor');
  await vi.waitFor(() => expect(patches).toEqual([{ language: 'nor' }]));
  status = 200;
  const last = chooseLanguage('lav');
  answer();
  await earlier;
  latvian.arrive();
  await last;
  expect(currentLanguage()).toBe('lav');
  expect(remembered()).toBe('lav');
  expect(patches.at(-1)).toEqual({ language: 'lav' });
});
