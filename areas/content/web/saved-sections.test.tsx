// @vitest-environment jsdom
// The palette's pieces of the account's own: all saved sections.
import { screen } from '@testing-library/react';
import { afterEach, beforeAll, expect, it, vi } from 'vitest';
import { endTestApp, renderPiece, startTestApp } from '#platform/web/test-app.tsx';
import { newDocument, newSection } from '../document-factory.ts';
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
