// Queues keys pressed after text is opened and before it is focused, and replays them in order.
// Otherwise they would act on the currently focused element.
import type { KeyboardEvent } from 'react';
import type { Editor } from '@tiptap/core';

type KeyPress = Pick<KeyboardEvent, 'key' | 'ctrlKey' | 'metaKey' | 'altKey'>;

const ACTION_KEYS = new Set(['Backspace', 'Delete', 'Enter']);

/** Returns true if the key inserts or deletes text. */
export function isWriting({ key, ctrlKey, metaKey, altKey }: KeyPress): boolean {
  if (ctrlKey || metaKey || altKey) return false;
  return [...key].length === 1 || ACTION_KEYS.has(key);
}

export interface KeyBuffer {
  add: (key: string) => void;
  /** Replays the queued keys. */
  replayInto: (editor: Editor) => void;
  clear: () => void;
}

export function createKeyBuffer(): KeyBuffer {
  let bufferedKeys: string[] = [];
  return {
    add: (key) => void bufferedKeys.push(key),
    replayInto: (editor) => {
      for (const key of bufferedKeys) writeKey(editor, key);
      bufferedKeys = [];
    },
    clear: () => {
      bufferedKeys = [];
    },
  };
}

/** Performs the browser's default action of the key. */
export function writeKey(editor: Editor, key: string): void {
  const { state, view } = editor;
  if (!ACTION_KEYS.has(key)) return view.dispatch(state.tr.insertText(key));
  if (key === 'Enter') return void editor.commands.enter();
  const { empty, $from, from } = state.selection;
  if (!empty) return view.dispatch(state.tr.deleteSelection());
  const before = $from.parent.textBetween(0, $from.parentOffset, undefined, '\ufffc');
  const after = $from.parent.textBetween(
    $from.parentOffset,
    $from.parent.content.size,
    undefined,
    '\ufffc',
  );
  const [last, next] = [[...before].at(-1), [...after][0]];
  if (key === 'Backspace' && last) view.dispatch(state.tr.delete(from - last.length, from));
  else if (key === 'Delete' && next) view.dispatch(state.tr.delete(from, from + next.length));
  else editor.commands.keyboardShortcut(key);
}
