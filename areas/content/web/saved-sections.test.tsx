// @vitest-environment jsdom
// The palette's pieces of the account's own: all saved sections, and colours of the brand.
import { fireEvent, screen, waitFor } from '@testing-library/react';
import { afterEach, beforeAll, expect, it, vi } from 'vitest';
import { endTestApp, renderPiece, startTestApp } from '#platform/web/test-app.tsx';
import { newDocument, newSection } from '../document-factory.ts';
import { BrandForm } from './brand/brand-form.tsx';
import { SavedSections } from './saved-sections.tsx';
import { createEditorStore, EditorContext } from './store.ts';

beforeAll(async () => {
  await startTestApp();
  // jsdom has none, and fields that grow listen to it.
  Object.defineProperty(document, 'fonts', { configurable: true, value: new EventTarget() });
});
afterEach(() => {
  endTestApp();
  vi.unstubAllGlobals();
});

const within = (piece: React.ReactNode) => (
  <EditorContext value={createEditorStore(newDocument([]))}>{piece}</EditorContext>
);

it('shows every saved section: one that cannot be seen cannot be deleted', async () => {
  const all = Array.from({ length: 120 }, (_, n) => ({
    id: `s${n}`,
    title: `Section ${n}`,
    section: newSection([[]]),
  }));
  vi.stubGlobal('fetch', async (input: string) => {
    const { searchParams } = new URL(String(input), 'http://localhost');
    const most = searchParams.has('no_paginate') ? all.length : 50;
    return Response.json({ data: all.slice(0, most) });
  });
  renderPiece(within(<SavedSections />));
  expect(await screen.findByText('Section 119')).toBeTruthy();
});

it('deletes two colours of the brand one right after the other', async () => {
  let colors = ['#111111', '#222222', '#333333'];
  const patches: unknown[] = [];
  vi.stubGlobal('fetch', async (_input: string, init?: RequestInit) => {
    if (init?.method === 'PATCH') {
      const body = JSON.parse(String(init.body)) as { colors: string[] };
      patches.push(body.colors);
      await new Promise((done) => setTimeout(done, 50));
      colors = body.colors;
    }
    return Response.json({ data: { colors, logo: null } });
  });
  renderPiece(within(<BrandForm />));
  fireEvent.click(await screen.findByRole('button', { name: /#111111/ }));
  await waitFor(() => expect(patches).toHaveLength(1));
  fireEvent.click(await screen.findByRole('button', { name: /#222222/ }));
  await waitFor(() => expect(patches).toEqual([['#222222', '#333333'], ['#333333']]));
});
