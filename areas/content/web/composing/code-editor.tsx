// CodeMirror for HTML in the product's colors. Loaded only by the screens that need it.
import { html } from '@codemirror/lang-html';
import { HighlightStyle, syntaxHighlighting } from '@codemirror/language';
import { tags } from '@lezer/highlight';
import { basicSetup, EditorView } from 'codemirror';
import { type Ref, type RefObject, useEffect, useImperativeHandle, useRef } from 'react';
import classes from './code-editor.module.css';

export interface CodeEditorHandle {
  insert: (text: string) => void;
  goTo: (line: number, column: number) => void;
  /** Replaces all occurrences as one undo step. */
  replace: (search: string, by: string) => void;
  /** Replaces the whole text as one undo step. */
  replaceAll: (text: string) => void;
}

export interface CodeEditorProps {
  value: string;
  /** A new number makes the editor replace its text with `value`. */
  generation: number;
  onChange: (value: string) => void;
  label: string;
  ref?: Ref<CodeEditorHandle>;
}

const editorTheme = EditorView.theme({
  '&': {
    height: '100%',
    fontSize: '13px',
    backgroundColor: 'var(--surface)',
    color: 'var(--text)',
  },
  '.cm-scroller': { fontFamily: 'ui-monospace, SFMono-Regular, Menlo, Consolas, monospace' },
  '.cm-gutters': { backgroundColor: 'var(--surface)', color: 'var(--muted)', border: 'none' },
  '.cm-activeLine, .cm-activeLineGutter': { backgroundColor: 'var(--canvas)' },
  '.cm-cursor': { borderLeftColor: 'var(--text)' },
  '.cm-content': { caretColor: 'var(--text)' },
  '.cm-panels': { backgroundColor: 'var(--raised)', color: 'var(--text)' },
});

/** Theme colors readable in light and dark mode. */
const highlightStyle = HighlightStyle.define([
  { tag: [tags.tagName, tags.angleBracket, tags.keyword], color: 'var(--primary)' },
  { tag: [tags.attributeName, tags.propertyName], color: 'var(--warning)' },
  { tag: [tags.attributeValue, tags.string, tags.number, tags.unit], color: 'var(--success)' },
  { tag: [tags.comment, tags.meta, tags.documentMeta], color: 'var(--muted)' },
]);

export function CodeEditor({ value, generation, onChange, label, ref }: CodeEditorProps) {
  const container = useRef<HTMLDivElement>(null);
  const view = useRef<EditorView>(undefined);
  const latest = useRef({ value, onChange });
  useEffect(() => {
    latest.current = { value, onChange };
  });

  useEffect(() => {
    if (!container.current) return;
    const editor = new EditorView({
      doc: latest.current.value,
      parent: container.current,
      extensions: [
        basicSetup,
        html(),
        syntaxHighlighting(highlightStyle),
        editorTheme,
        EditorView.lineWrapping,
        EditorView.contentAttributes.of({ 'aria-label': label, dir: 'ltr' }),
        EditorView.updateListener.of((update) => {
          if (
            update.docChanged &&
            !update.transactions.some((transaction) => transaction.isUserEvent('outside'))
          ) {
            latest.current.onChange(update.state.doc.toString());
          }
        }),
      ],
    });
    view.current = editor;
    return () => editor.destroy();
    // The editor now owns the document; the next effect applies external changes.
  }, [label]);

  const appliedGeneration = useRef(generation);
  useEffect(() => {
    const editor = view.current;
    // `value` lags behind the keystrokes, so applying it without a new generation would revert
    // some.
    if (!editor || appliedGeneration.current === generation) return;
    appliedGeneration.current = generation;
    editor.dispatch({
      changes: { from: 0, to: editor.state.doc.length, insert: latest.current.value },
      userEvent: 'outside',
    });
  }, [generation]);

  useImperativeHandle(ref, () => createHandle(view));

  return <div ref={container} className={classes.editor} />;
}

function createHandle(view: RefObject<EditorView | undefined>): CodeEditorHandle {
  return {
    insert(text) {
      view.current?.dispatch(view.current.state.replaceSelection(text));
      view.current?.focus();
    },
    replace(search, by) {
      const editor = view.current;
      if (!editor || search === '') return;
      const text = editor.state.doc.toString();
      const changes: { from: number; to: number; insert: string }[] = [];
      for (let start = text.indexOf(search); start !== -1; start = text.indexOf(search, start)) {
        changes.push({ from: start, to: start + search.length, insert: by });
        start += search.length;
      }
      editor.dispatch({ changes });
    },
    replaceAll(text) {
      const editor = view.current;
      editor?.dispatch({ changes: { from: 0, to: editor.state.doc.length, insert: text } });
      editor?.focus();
    },
    goTo(line, column) {
      const editor = view.current;
      if (!editor) return;
      const row = editor.state.doc.line(Math.min(line, editor.state.doc.lines));
      editor.dispatch({
        selection: { anchor: Math.min(row.to, row.from + column - 1) },
        scrollIntoView: true,
      });
      editor.focus();
    },
  };
}
