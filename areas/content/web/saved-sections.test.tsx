// @vitest-environment jsdom
// The account's content in the palette: saved sections, and the colors and logo of the brand.
import { act, fireEvent, screen, waitFor } from '@testing-library/react';
import { afterEach, beforeAll, expect, it, vi } from 'vitest';
import { endTestApp, renderComponent, startTestApp } from '#platform/web/shell/test-app.tsx';
import { createEmailDocument, createSection } from '../document-factory.ts';
import { BrandForm } from './brand/brand-form.tsx';
import { insertDropped } from './drag.ts';
import { SavedSections } from './saved-sections.tsx';
import { createEditorStore, EditorContext } from './store.ts';

interface Drag {
  element: Element;
  canDrag?: () => boolean;
  getInitialData: () => object;
}
const drags = vi.hoisted(() => [] as Drag[]);
vi.mock('@atlaskit/pragmatic-drag-and-drop/element/adapter', async (load) => ({
  ...(await load<object>()),
  draggable: (drag: Drag) => {
    drags.push(drag);
    return () => undefined;
  },
}));

beforeAll(async () => {
  await startTestApp();
  // Autosizing fields use document.fonts, which jsdom lacks.
  Object.defineProperty(document, 'fonts', { configurable: true, value: new EventTarget() });
});
afterEach(() => {
  endTestApp();
  vi.unstubAllGlobals();
});

const inEditor = (element: React.ReactNode, store = createEditorStore(createEmailDocument([]))) => (
  <EditorContext value={store}>{element}</EditorContext>
);

it('pages through all saved sections, loads only the chosen one, and leaves a page that no longer exists', async () => {
  const allSections = Array.from({ length: 120 }, (_, n) => ({
    id: `s${n}`,
    title: `Section ${n}`,
  }));
  const requests: string[] = [];
  vi.stubGlobal('fetch', async (input: string, init?: RequestInit) => {
    const { pathname, searchParams } = new URL(String(input), 'http://localhost');
    requests.push(pathname);
    const [, id] = /saved_sections\/(s\d+)$/.exec(pathname) ?? [];
    if (init?.method === 'DELETE') {
      allSections.splice(100);
      return Response.json({ status: 'success' });
    }
    if (id) return Response.json({ data: { id, section: createSection([[], []]) } });
    if (searchParams.has('no_paginate')) return Response.json({ data: allSections });
    const page = Number(searchParams.get('page') ?? 1);
    const perPage = Number(searchParams.get('limit') ?? 50);
    const data = allSections.slice((page - 1) * perPage, page * perPage);
    const pageCount = Math.ceil(allSections.length / perPage);
    const meta = { page, pageCount, total: allSections.length, perPage };
    return Response.json({ data, meta });
  });
  const editor = createEditorStore(createEmailDocument([]));
  const onInsert = vi.fn<() => void>();
  renderComponent(inEditor(<SavedSections onDone={onInsert} />, editor));
  expect(await screen.findByText('Section 19')).toBeTruthy();
  expect(screen.queryByText('Section 20')).toBeNull();
  const scrollSpy = vi.spyOn(Element.prototype, 'scrollIntoView');
  fireEvent.click(screen.getByRole('button', { name: 'Page 6' }));
  expect(scrollSpy.mock.contexts).toEqual([screen.getByRole('list')]);
  const lastSection = await screen.findByRole('button', { name: 'Section 119' });
  expect(requests.every((path) => path.endsWith('/saved_sections'))).toBe(true);
  fireEvent.click(lastSection);
  fireEvent.click(lastSection);
  await waitFor(() => expect(onInsert).toHaveBeenCalledTimes(1));
  const { sections } = editor.store.getState().document;
  expect(sections.map(({ columns }) => columns.length)).toEqual([2]);
  fireEvent.click(screen.getByRole('button', { name: 'Delete “Section 119”' }));
  fireEvent.click(await screen.findByRole('button', { name: 'Delete' }));
  expect(await screen.findByText('Section 99')).toBeTruthy();
});

it('saves changes to the brand in order, so that a deleted color does not return after a slow save', async () => {
  let brand = {
    colors: ['#111111', '#222222', '#333333'],
    logo: { src: '/logo.png', alt: 'Tea' } as unknown,
  };
  const patches: object[] = [];
  let isSaved = false;
  vi.stubGlobal('fetch', async (_input: string, init?: RequestInit) => {
    if (init?.method === 'PATCH') {
      const body = JSON.parse(String(init.body)) as Partial<typeof brand>;
      const patchCount = patches.push(body) - 1;
      await new Promise((done) => setTimeout(done, patchCount === 0 ? 200 : 20));
      brand = { ...brand, ...body };
      isSaved = patches.length === 3 && patchCount === 2;
    }
    return Response.json({ data: brand });
  });
  renderComponent(inEditor(<BrandForm />));
  const expectDeleted = (color: string) =>
    waitFor(() => expect(screen.queryByRole('button', { name: color })).toBeNull());
  fireEvent.click(await screen.findByRole('button', { name: /#111111/ }));
  await expectDeleted('Delete: #111111');
  // Saving the logo leaves pending colors unchanged.
  fireEvent.click(screen.getByRole('button', { name: 'Remove' }));
  await act(() => new Promise((done) => setTimeout(done, 20)));
  expect(screen.queryByRole('button', { name: 'Delete: #111111' })).toBeNull();
  fireEvent.click(screen.getByRole('button', { name: 'Delete: #222222' }));
  await expectDeleted('Delete: #222222');
  await waitFor(() => expect(isSaved).toBe(true));
  expect(brand).toEqual({ colors: ['#333333'], logo: null });
  expect(patches).toEqual([
    { colors: ['#222222', '#333333'] },
    { logo: null },
    { colors: ['#333333'] },
  ]);
});

it("saves a logo's alternative text on blur and has no field for it without a logo", async () => {
  let logo: { src: string; alt: string } | null = { src: '/logo.png', alt: '' };
  const patches: object[] = [];
  let status = 500;
  vi.stubGlobal('fetch', async (_input: string, init?: RequestInit) => {
    if (init?.method === 'PATCH') {
      const body = JSON.parse(String(init.body)) as { logo: typeof logo };
      patches.push(body);
      await new Promise((done) => setTimeout(done, 50));
      if (status !== 200) return new Response('{}', { status });
      ({ logo } = body);
    }
    return Response.json({ data: { colors: [], logo } });
  });
  renderComponent(inEditor(<BrandForm />));
  const field = await screen.findByRole<HTMLTextAreaElement>('textbox', { name: /text/i });
  const shownNames: string[] = [];
  for (const value of ['A', 'Ac', 'Acm', 'Acme']) {
    fireEvent.change(field, { target: { value } });
    shownNames.push(field.value);
  }
  expect(shownNames).toEqual(['A', 'Ac', 'Acm', 'Acme']);
  expect(patches).toEqual([]);
  fireEvent.blur(field);
  await waitFor(() => expect(patches).toHaveLength(1));
  await act(() => new Promise((done) => setTimeout(done, 100)));
  // The text was not saved but stays in the field.
  expect(field.value).toBe('Acme');
  status = 200;
  fireEvent.blur(field);
  expect(field.value).toBe('Acme');
  await waitFor(() => expect(logo?.alt).toBe('Acme'));
  fireEvent.blur(field);
  fireEvent.click(screen.getByRole('button', { name: 'Remove' }));
  await waitFor(() => expect(screen.queryByRole('textbox', { name: /text/i })).toBeNull());
  await waitFor(() => expect(logo).toBeNull());
  const patch = { logo: { src: '/logo.png', alt: 'Acme' } };
  expect(patches).toEqual([patch, patch, { logo: null }]);
});

it('shows a dragged saved section as loading and blocks a second drag', async () => {
  const { promise, resolve: answer } = Promise.withResolvers<void>();
  const reads: string[] = [];
  vi.stubGlobal('fetch', async (input: string) => {
    const { pathname } = new URL(String(input), 'http://localhost');
    if (!pathname.endsWith('/s1')) return Response.json({ data: [{ id: 's1', title: 'Top' }] });
    reads.push(pathname);
    await promise;
    return Response.json({ data: { id: 's1', section: createSection([[]]) } });
  });
  renderComponent(inEditor(<SavedSections />));
  const item = await screen.findByRole('button', { name: 'Top' });
  const drag = drags.findLast(({ element }) => element === item);
  const mayDrag = () => drag?.canDrag?.() ?? true;
  expect(mayDrag()).toBe(true);
  act(() => void drag?.getInitialData());
  expect(item.getAttribute('aria-busy')).toBe('true');
  expect(mayDrag()).toBe(false);
  fireEvent.click(item);
  await act(async () => answer());
  await waitFor(() => expect(item.getAttribute('aria-busy')).toBe('false'));
  expect(mayDrag()).toBe(true);
  expect(reads).toHaveLength(1);
});

it.each(['top', 'bottom'] as const)(
  'a section is inserted last when its drop target no longer exists: %s',
  (edge) => {
    const sections = [createSection([[]]), createSection([[]])];
    const editor = createEditorStore(createEmailDocument(sections));
    const section = createSection([[], []]);
    const item = { kind: 'new-section', create: () => section } as const;
    insertDropped(editor, item, { kind: 'section', id: createSection([[]]).id, edge });
    const ids = editor.store.getState().document.sections.map(({ id }) => id);
    expect(ids).toEqual([...sections, section].map(({ id }) => id));
  },
);
