// @vitest-environment jsdom
// The language chosen last is shown and saved.
import { QueryClientProvider } from '@tanstack/react-query';
import { renderHook } from '@testing-library/react';
import { createElement, type ReactNode } from 'react';
import { afterEach, beforeAll, beforeEach, expect, it, vi } from 'vitest';
import { queryClient } from '../api/queries.ts';
import { sampleSession } from './sample-session.ts';
import { chooseLanguage, sessionQuery, useUserLanguage } from './session.ts';
import { endTestApp, startTestApp } from '../shell/test-app.tsx';
import { getCurrentLanguage, showLanguage } from '../texts/texts.ts';

const { lithuanian, latvian, swedish, persian } = vi.hoisted(() => {
  const createLate = () => {
    const { promise: arrived, resolve: arrive } = Promise.withResolvers<void>();
    return { arrive, arrived };
  };
  return {
    lithuanian: createLate(),
    latvian: createLate(),
    swedish: createLate(),
    persian: createLate(),
  };
});
vi.mock('../catalogs/lit.ts', async (load) => {
  await lithuanian.arrived;
  return load();
});
vi.mock('../catalogs/lav.ts', async (load) => {
  await latvian.arrived;
  return load();
});
vi.mock('../catalogs/swe.ts', async () => {
  await swedish.arrived;
  throw new Error('Not fetched');
});
vi.mock('../catalogs/fas.ts', async () => {
  await persian.arrived;
  throw new Error('Not fetched');
});

let status: number;
const patches: unknown[] = [];
/** Saves wait for this promise. */
let saving: Promise<void> | undefined;
const readLanguage = () => queryClient.getQueryData(sessionQuery.queryKey)?.user.language;

beforeAll(() => startTestApp());
beforeEach(async () => {
  await showLanguage('eng');
  status = 200;
  saving = undefined;
  patches.length = 0;
  queryClient.setQueryData(sessionQuery.queryKey, sampleSession);
  vi.stubGlobal('fetch', async (_input: string, init?: RequestInit) => {
    patches.push(JSON.parse(String(init?.body)));
    const response = new Response('{}', { status });
    await saving;
    return response;
  });
});
afterEach(() => {
  vi.unstubAllGlobals();
  endTestApp();
});

it('returns to the previous language if the new one cannot be saved', async () => {
  status = 500;
  await chooseLanguage('nor');
  expect(patches).toEqual([{ language: 'nor' }]);
  expect(readLanguage()).toBe('eng');
  expect(getCurrentLanguage()).toBe('eng');
});

it('shows the language chosen last if the catalog of an earlier choice arrives late', async () => {
  const earlierChoice = chooseLanguage('lit');
  await chooseLanguage('nor');
  lithuanian.arrive();
  await earlierChoice;
  expect(getCurrentLanguage()).toBe('nor');
  expect(readLanguage()).toBe('nor');
  expect(patches).toEqual([{ language: 'nor' }]);
});

it('shows the language chosen last if saving an earlier choice fails concurrently', async () => {
  const wrapper = ({ children }: { children: ReactNode }) =>
    createElement(QueryClientProvider, { client: queryClient }, children);
  const { unmount } = renderHook(useUserLanguage, { wrapper });
  const { promise, resolve: answer } = Promise.withResolvers<void>();
  saving = promise;
  status = 500;
  const earlierChoice = chooseLanguage('nor');
  await vi.waitFor(() => expect(patches).toEqual([{ language: 'nor' }]));
  status = 200;
  const last = chooseLanguage('lav');
  answer();
  await earlierChoice;
  await new Promise((resolve) => setTimeout(resolve, 50));
  latvian.arrive();
  await last;
  expect(getCurrentLanguage()).toBe('lav');
  expect(readLanguage()).toBe('lav');
  expect(patches.at(-1)).toEqual({ language: 'lav' });
  unmount();
});

it.each([
  ['before', 'swe', swedish],
  ['after', 'fas', persian],
] as const)(
  'returns to the first language if the save of the second fails and the third fails to load %s that',
  async (when, next, file) => {
    const { promise, resolve: answer } = Promise.withResolvers<void>();
    saving = promise;
    status = 500;
    const earlierChoice = chooseLanguage('nor');
    await vi.waitFor(() => expect(patches).toEqual([{ language: 'nor' }]));
    const last = chooseLanguage(next).catch(() => 'not fetched');
    if (when === 'before') {
      file.arrive();
      expect(await last).toBe('not fetched');
      expect(getCurrentLanguage()).toBe('nor');
    }
    answer();
    await earlierChoice;
    file.arrive();
    expect(await last).toBe('not fetched');
    expect(getCurrentLanguage()).toBe('eng');
    expect(readLanguage()).toBe('eng');
  },
);
