// @vitest-environment jsdom
// The block editor with an email of a hundred blocks. Unchanged blocks do not render again.
// Rendering them would make typing and dragging stutter on slow computers. Renders are counted, not
// timed. The tools of a block cover no text, images can be pasted and dropped, and undo restores
// the original document.
import { act, screen, waitFor } from '@testing-library/react';
import { Profiler, useState } from 'react';
import { afterEach, beforeAll, beforeEach, expect, it, vi } from 'vitest';
import { endTestApp, renderScreen, startTestApp } from '#platform/web/shell/test-app.tsx';
import { createBlock, createEmailDocument, createSection } from '../../document-factory.ts';
import type { EmailDocument } from '../../document.ts';
import type { BlockEditorProps } from '../editor-props.ts';
import BlockEditor from '../editor-screen.tsx';
import type { EmailEditor } from '../store.ts';

const rendered = vi.hoisted(() => ({
  blocks: [] as string[],
  editor: undefined as unknown,
  changes: [] as unknown[],
}));
vi.mock('./block-view.tsx', async (load) => {
  const { BlockView: Real } = await load<typeof import('./block-view.tsx')>();
  const { useEditor } = await import('../store.ts');
  return {
    BlockView: (props: Parameters<typeof Real>[0]) => {
      rendered.editor = useEditor();
      return (
        <Profiler id={props.block.id} onRender={(block) => rendered.blocks.push(block)}>
          <Real {...props} />
        </Profiler>
      );
    },
  };
});

const session = {
  data: {
    user: { id: 'u', email: 'ada@tea.example', name: 'Ada', surname: null, language: 'eng' },
    account: { id: 'a', title: 'Nordic Tea', timezone: 'Europe/Oslo', country: 'NO' },
  },
};
const SECTIONS = 25;
const id = (section: number, block: number) => `b${section}-${block}`;
const hundredBlocks = () =>
  createEmailDocument(
    Array.from({ length: SECTIONS }, (_, s) =>
      createSection(
        [
          [
            createBlock('heading', { id: id(s, 0), html: `Heading ${s}` }),
            createBlock('text', { id: id(s, 1), html: '<p>Words {{firstname}}</p>' }),
          ],
          [
            createBlock('button', { id: id(s, 2), label: 'Go' }),
            createBlock('table', { id: id(s, 3), rows: [['a', 'b']] }),
          ],
        ],
        { id: `s${s}` },
      ),
    ),
  );

/** Behaves like a screen: each change passes a new object and a new saving state. */
function Host() {
  const [document, setDocument] = useState<EmailDocument>(hundredBlocks);
  const [saving, setSaving] = useState<BlockEditorProps['saving']>('saved');
  return (
    <BlockEditor
      name="Mail"
      back={{ to: '/', label: 'Back' }}
      document={document}
      generation={0}
      onChange={(changed) => {
        rendered.changes.push(changed);
        setDocument(changed);
        setSaving((now) => (now === 'saved' ? 'unsaved' : 'saved'));
      }}
      saving={saving}
      savedAt={undefined}
      flush={async () => true}
      company="Tea"
      mergeTags={TAGS}
      preview={async () => ({
        subject: '',
        preheader: '',
        html: '',
        text: '',
        size: 0,
        findings: [],
      })}
      previewKey="x"
      renderFindings={() => null}
      next={{ label: 'Next', onClick: () => undefined }}
      isRtl={false}
    />
  );
}
const TAGS: BlockEditorProps['mergeTags'] = [
  { name: 'firstname', title: 'First name', kind: 'person' },
];

beforeAll(async () => {
  await startTestApp();
  Element.prototype.scrollTo = () => undefined;
});
beforeEach(async () => {
  vi.stubGlobal('fetch', async (input: string | URL | Request) => {
    const url = String(input instanceof Request ? input.url : input);
    const body = url.endsWith('/users') ? session : { data: url.includes('sections') ? [] : null };
    return new Response(JSON.stringify(body), { status: 200 });
  });
  renderScreen(Host);
  await screen.findByText('Heading 24');
  // The inspector renders after the canvas.
  await screen.findByText('Layout');
  await waitUntilSettled();
});
afterEach(() => {
  endTestApp();
  vi.unstubAllGlobals();
});

const editor = () => rendered.editor as EmailEditor;
async function waitUntilSettled() {
  await waitFor(() =>
    expect(document.querySelectorAll('[role=group][data-node]')).toHaveLength(100),
  );
  rendered.blocks = [];
}
/** Returns the sorted IDs of the blocks rendered during the call. */
function renderedBy(run: () => void): string[] {
  rendered.blocks = [];
  act(run);
  return [...new Set(rendered.blocks)].sort();
}

it('renders only the block that is edited', () => {
  const target = id(12, 1);
  const type = (text: string) => () =>
    editor().editBlock(target, (now) => ({ ...now, html: `<p>${text}</p>` }) as typeof now, 'html');
  expect(renderedBy(type('one'))).toEqual([target]);
  expect(renderedBy(type('one two'))).toEqual([target]);
  expect(renderedBy(() => editor().undo())).toEqual([target]);
});

it('renders only the previous and new selection and the drop target', () => {
  renderedBy(() => editor().select(id(3, 0)));
  expect(renderedBy(() => editor().select(id(20, 2)))).toEqual([id(20, 2), id(3, 0)].sort());
  const dragOver = (block: string, edge: 'top' | 'bottom') => () =>
    editor().store.setState({ dropLocation: { kind: 'block', id: block, edge }, isDragging: true });
  renderedBy(dragOver(id(5, 0), 'top'));
  expect(renderedBy(dragOver(id(5, 1), 'top'))).toEqual([id(5, 0), id(5, 1)]);
  expect(renderedBy(() => editor().store.setState({ dropLocation: null }))).toEqual([id(5, 1)]);
});

it('places the tools of a block beside its section, where they cover no text', () => {
  const box = vi.spyOn(Element.prototype, 'getBoundingClientRect');
  box.mockImplementation(function (this: Element) {
    const positions: Record<string, [number, number]> = {
      [`node-${id(2, 0)}`]: [120, 390],
      [`node-${id(2, 2)}`]: [410, 680],
    };
    const [left, right] = positions[this.id] ?? [100, 700];
    return { left, right } as DOMRect;
  });
  const distance = () => {
    const tools = document.querySelectorAll<HTMLElement>('[data-mail] [role=toolbar]');
    expect(tools).toHaveLength(1);
    return tools[0]?.style.getPropertyValue('--beside');
  };
  // The selections are a block of the first column, a block of the last column, and the section.
  act(() => editor().select(id(2, 0)));
  expect(distance()).toBe('310px');
  act(() => editor().select(id(2, 2)));
  expect(distance()).toBe('20px');
  act(() => editor().select('s2'));
  expect(distance()).toBe('0px');
  box.mockRestore();
});

it('drags a block by its handle while its text is edited', async () => {
  const target = id(2, 1);
  const block = document.querySelector<HTMLElement>(`#node-${target}`);
  const findHandle = () =>
    block?.querySelector<HTMLElement>('[role=toolbar] button[aria-hidden=true]');
  act(() => editor().select(target));
  expect(block?.draggable).toBe(true);
  await act(async () => editor().startWriting(target));
  expect(block?.draggable).not.toBe(true);
  expect(findHandle()?.draggable).toBe(true);
  await act(async () => editor().stopWriting());
  expect(block?.draggable).toBe(true);
  expect(findHandle()?.draggable).not.toBe(true);
});

it('does not render any block when a section is moved', () => {
  const { document: emailDocument } = editor().store.getState();
  const sections = emailDocument.sections
    .toSpliced(1, 1)
    .toSpliced(5, 0, emailDocument.sections[1] as never);
  expect(renderedBy(() => editor().edit((now) => ({ ...now, sections })))).toEqual([]);
});

it('inserts a pasted or dropped image after a block or into the selected image and ignores text', async () => {
  const upload = {
    data: { id: 'i', name: 'tea', src: '/i/a/b.png', width: 300, height: 200, thumbnail_src: '' },
  };
  const originalFetch = globalThis.fetch;
  vi.stubGlobal('fetch', async (input: string | URL | Request, init?: RequestInit) => {
    const url = String(input instanceof Request ? input.url : input);
    if (!url.endsWith('/images')) return originalFetch(input, init);
    return new Response(JSON.stringify(upload), { status: 200 });
  });
  const paste = (types: string[]) => {
    const event = new Event('paste', { bubbles: true, cancelable: true });
    const files = [new File(['x'], 'tea.png', { type: 'image/png' })];
    Object.assign(event, { clipboardData: { files, types } });
    document.querySelector('#mail-canvas')?.dispatchEvent(event);
    return event.defaultPrevented;
  };
  const blocks = () => editor().store.getState().document.sections[0]?.columns[0]?.blocks ?? [];
  act(() => editor().select(id(0, 0)));
  expect(paste(['text/plain', 'text/html', 'Files'])).toBe(false);
  expect(paste(['text/html', 'Files'])).toBe(true);
  await waitFor(() => expect(blocks()).toHaveLength(3));
  const [, picture] = blocks();
  expect(picture).toMatchObject({ type: 'image', image: { src: '/i/a/b.png', width: 300 } });
  // The new block is selected, so the next image goes into it.
  upload.data.src = '/i/a/c.png';
  expect(paste(['Files'])).toBe(true);
  await waitFor(() => expect(blocks()[1]).toMatchObject({ image: { src: '/i/a/c.png' } }));
  expect(blocks()).toHaveLength(3);
  // A dropped image is inserted after the target block.
  const drop = new Event('drop', { bubbles: true, cancelable: true });
  const file = new File(['x'], 'tea.png', { type: 'image/png' });
  Object.assign(drop, { dataTransfer: { files: [file], types: ['Files'] } });
  act(() => void document.querySelector(`#node-${id(0, 1)}`)?.dispatchEvent(drop));
  expect(drop.defaultPrevented).toBe(true);
  await waitFor(() =>
    expect(blocks().map(({ type }) => type)).toEqual(['heading', 'image', 'text', 'image']),
  );
});

it('restores the original document object when its only change is undone', () => {
  rendered.changes = [];
  const { document: first } = editor().store.getState();
  act(() =>
    editor().editBlock(id(0, 0), (now) => ({ ...now, html: 'Changed' }) as typeof now, 'html'),
  );
  act(() => editor().undo());
  expect(editor().store.getState().document).toBe(first);
  expect(rendered.changes).toHaveLength(2);
  expect(rendered.changes.at(-1)).toBe(first);
});
