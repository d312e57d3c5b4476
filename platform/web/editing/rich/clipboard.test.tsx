// @vitest-environment jsdom
// Text copied from one block and pasted into another stays the same; styles of other programs are
// dropped.
import { act, cleanup, render, waitFor } from '@testing-library/react';
import type { Editor } from '@tiptap/core';
import { afterEach, beforeAll, expect, it, vi } from 'vitest';
import { startTestApp } from '#platform/web/shell/test-app.tsx';
import RichEditor from './rich-editor.tsx';

beforeAll(() => startTestApp());
// jsdom has no ClipboardEvent; these tests read none of its fields.
beforeAll(() => vi.stubGlobal('ClipboardEvent', Event));
afterEach(cleanup);

const GREETING =
  '<p>Dear {{firstname | default: "friend"}}, <span style="color: #c02b3c;">sale</span> <a href="{{unsubscribe_link}}">leave</a></p>';

async function renderEditor(html: string): Promise<{ editor: Editor; read: () => string }> {
  let now = html;
  let openEditor: Editor | undefined;
  render(
    <RichEditor
      html={html}
      label="Words"
      getTagLabel={() => 'First name'}
      onChange={(changed) => (now = changed)}
      onLeave={() => undefined}
      onOpen={(editor) => {
        openEditor = editor;
        return () => undefined;
      }}
    />,
  );
  await waitFor(() => expect(openEditor).toBeDefined());
  return { editor: openEditor as Editor, read: () => now };
}

async function copyAll(editor: Editor): Promise<string> {
  act(() => void editor.commands.selectAll());
  const { view } = editor;
  return view.serializeForClipboard(view.state.selection.content()).dom.innerHTML;
}

it('keeps merge tags, links and styles of text pasted into another block', async () => {
  const { editor } = await renderEditor(GREETING);
  const clipboard = await copyAll(editor);
  cleanup();
  const otherEditor = await renderEditor('');
  act(() => void otherEditor.editor.view.pasteHTML(clipboard));
  expect(otherEditor.read()).toBe(GREETING);
});

it('drops styles of other programs, even of programs with the same editor', async () => {
  const { editor, read } = await renderEditor('');
  act(
    () =>
      void editor.view.pasteHTML(
        '<p data-pm-slice="1 1 []"><span style="color: rgb(192, 43, 60)">Dear {{firstname}}</span></p>',
      ),
  );
  expect(read()).toBe('<p>Dear {{firstname}}</p>');
});
