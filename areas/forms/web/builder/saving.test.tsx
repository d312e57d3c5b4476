// @vitest-environment jsdom
// Saves of a form's draft: each is based on the revision that the previous one created.
import { act, screen } from '@testing-library/react';
import { useEffect } from 'react';
import { afterEach, beforeAll, expect, test, vi } from 'vitest';
import { queryClient } from '#platform/web/api/queries.ts';
import type { Autosave } from '#platform/web/editing/use-autosave.ts';
import { sampleSession } from '#platform/web/session/sample-session.ts';
import { sessionQuery } from '#platform/web/session/session.ts';
import { endTestApp, renderScreen, startTestApp } from '#platform/web/shell/test-app.tsx';
import type { FormDraft } from './draft.ts';
import { useFormSaving } from './saving.ts';

vi.mock('#platform/web/unsaved.ts', () => ({
  readUnsaved: async () => undefined,
  discardUnsaved: async () => undefined,
  watchUnsaved: () => () => undefined,
  saveUnsaved: async () => undefined,
  flushUnsaved: async () => undefined,
}));

let autosave: Autosave<FormDraft>;
/** Revisions of the updates, in order. */
let updates: number[];
let revision: number;
let areGroupsFailing: boolean;

beforeAll(() => startTestApp());
afterEach(() => {
  endTestApp();
  vi.unstubAllGlobals();
});

const FORM = {
  ...{ id: 'f', title: 'News', document: { steps: [], success: [] }, settings: { id: 'f' } },
  ...{ groups: [], mandatory_tags: [], modified: '2026-03-02T09:00:00.000Z' },
};

/** Opens the draft of a form whose server refuses an update based on another revision. */
async function openDraft(): Promise<void> {
  revision = 1;
  updates = [];
  areGroupsFailing = false;
  vi.stubGlobal('fetch', async (url: string, init?: RequestInit) => {
    if (String(url).endsWith('/api/users')) return Response.json(sampleSession);
    if (String(url).endsWith('/tags') && areGroupsFailing)
      return Response.json({ message: '' }, { status: 500 });
    if (init?.method === 'PATCH') {
      const body = JSON.parse(String(init.body));
      updates.push(body.revision);
      if (body.revision !== revision)
        return Response.json({ code: 'stale_revision', message: '' }, { status: 409 });
      revision += 1;
    }
    return Response.json({ data: { ...FORM, revision } });
  });
  queryClient.clear();
  queryClient.setQueryData(sessionQuery.queryKey, sampleSession);
  function Draft() {
    const saving = useFormSaving('f');
    useEffect(() => {
      autosave = saving;
    });
    return <p>{saving.value?.title}</p>;
  }
  renderScreen(Draft);
  await screen.findByText('News');
}

async function save(change: Partial<FormDraft>): Promise<boolean> {
  act(() => autosave.change({ ...(autosave.value as FormDraft), ...change }));
  let isSaved = false;
  await act(async () => {
    isSaved = await autosave.flush();
  });
  return isSaved;
}

test('consecutive saves of a form do not conflict with each other', async () => {
  await openDraft();
  for (const title of ['One', 'Two', 'Three']) expect(await save({ title })).toBe(true);
  expect(updates).toEqual([1, 2, 3]);
  expect(autosave.isStale).toBe(false);
});

test('after a save that failed only for the groups, the next save does not conflict with it', async () => {
  await openDraft();
  areGroupsFailing = true;
  const groups = [{ id: 'g', title: 'Readers', isMandatory: true }];
  expect(await save({ title: 'One', groups })).toBe(false);
  areGroupsFailing = false;
  expect(await save({ title: 'Two' })).toBe(true);
  expect(updates).toEqual([1, 2]);
  expect(autosave.isStale).toBe(false);
});
