// @vitest-environment jsdom
// Typed text is kept even if the surrounding screen renders late.
import { EditorView } from 'codemirror';
import { cleanup } from '@testing-library/react';
import { afterEach, beforeAll, expect, test } from 'vitest';
import { renderComponent, startTestApp } from '#platform/web/shell/test-app.tsx';
import { AppProviders } from '#platform/web/shell/app.tsx';
import { CodeEditor } from './code-editor.tsx';

beforeAll(() => startTestApp());
afterEach(cleanup);

test('a new value replaces the text being edited only with a new generation', () => {
  const changes: string[] = [];
  const createEditor = (value: string, generation: number) => (
    <CodeEditor
      label="HTML"
      value={value}
      generation={generation}
      onChange={(html) => changes.push(html)}
    />
  );
  const { container, rerender } = renderComponent(createEditor('<p>a</p>', 1));
  const editor = EditorView.findFromDOM(container.querySelector('.cm-editor') as HTMLElement);
  const type = (insert: string) => {
    const cursor = editor?.state.selection.main.head ?? 0;
    editor?.dispatch({
      changes: { from: cursor, insert },
      selection: { anchor: cursor + insert.length },
    });
  };
  type('x');
  type('y');
  // The screen has rendered the first of two keystrokes.
  rerender(<AppProviders>{createEditor('x<p>a</p>', 1)}</AppProviders>);
  expect(editor?.state.doc.toString()).toBe('xy<p>a</p>');
  expect(editor?.state.selection.main.head).toBe(2);
  rerender(<AppProviders>{createEditor('<p>theirs</p>', 2)}</AppProviders>);
  expect(editor?.state.doc.toString()).toBe('<p>theirs</p>');
  expect(changes).toEqual(['x<p>a</p>', 'xy<p>a</p>']);
});
