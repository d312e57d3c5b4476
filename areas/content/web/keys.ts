// Keyboard control of the canvas: arrows select, Alt with arrows moves, Enter opens, '/' inserts.
import type { KeyboardEvent } from 'react';
import { isWriting, writeKey } from '#platform/web/editing/rich/held-keys.ts';
import { toLatinKey } from '#platform/web/hooks/letter-keys.ts';
import type { NodeId } from '../document.ts';
import { focusNode, type useActions } from './actions.ts';
import type { EmailEditor } from './store.ts';
import { findNode } from './tree.ts';

type Actions = ReturnType<typeof useActions>;

export function handleCanvasKeys(
  editor: EmailEditor,
  actions: Actions,
  event: KeyboardEvent,
): void {
  const target = event.target as HTMLElement;
  if (target.closest('input, textarea, [contenteditable="true"], [role="menu"]')) return;
  const { selected, writing, textEditor } = editor.store.getState();
  if (writing !== null && isWriting(event) && !target.closest('button')) {
    // A text is open for editing but does not have the caret yet. Keys typed until then belong to
    // the text and must not act on blocks.
    event.preventDefault();
    event.stopPropagation();
    if (textEditor === null || textEditor.isDestroyed) return editor.bufferedKeys.add(event.key);
    textEditor.view.focus();
    return writeKey(textEditor, event.key);
  }
  const action = findKeyAction(editor, actions, event, selected);
  if (!action) return;
  // Enter and Space on a button activate the button.
  if (target.closest('button') && !event.key.startsWith('Arrow')) return;
  event.preventDefault();
  event.stopPropagation();
  action();
}

function findKeyAction(
  editor: EmailEditor,
  actions: Actions,
  event: KeyboardEvent,
  selectedId: NodeId | null,
): (() => void) | undefined {
  const isCommand = event.ctrlKey || event.metaKey;
  if (event.key === '/' && !isCommand) {
    return () => editor.store.setState({ insertAfterId: selectedId ?? '' });
  }
  const offset = event.key === 'ArrowUp' ? -1 : event.key === 'ArrowDown' ? 1 : 0;
  if (offset !== 0 && !isCommand) {
    if (!event.altKey) return () => actions.go(offset);
    return selectedId === null ? undefined : () => actions.step(selectedId, offset);
  }
  if (selectedId === null) return undefined;
  switch (toLatinKey(event)) {
    case 'Delete':
    case 'Backspace':
      return () => actions.remove(selectedId);
    case 'Escape':
      return () => {
        const parent = findParent(editor, selectedId);
        editor.select(parent);
        focusNode(parent);
      };
    case 'Enter':
      return () => openNode(editor, selectedId);
    case 'd':
    case 'D':
      return isCommand ? () => actions.duplicate(selectedId) : undefined;
    default:
      return undefined;
  }
}

function findParent(editor: EmailEditor, id: NodeId): NodeId | null {
  const location = findNode(editor.store.getState().document, id);
  return location?.kind === 'block' ? location.section.id : null;
}

/**
 * Selects the first block of a section; opens a block's text for editing, or its form if it has
 * none.
 */
function openNode(editor: EmailEditor, id: NodeId): void {
  const location = findNode(editor.store.getState().document, id);
  if (location?.kind === 'section') {
    const firstBlock = location.section.columns.flatMap(({ blocks }) => blocks)[0];
    if (!firstBlock) return;
    editor.select(firstBlock.id);
    focusNode(firstBlock.id);
  } else if (location && (location.block.type === 'text' || location.block.type === 'heading')) {
    editor.startWriting(id);
  } else if (location?.block.type === 'table') {
    editor.startWriting(id, '0.0');
  } else {
    editor.store.setState({ isSheetOpen: true });
    document.querySelector<HTMLElement>('#mail-inspector :is(input, textarea, button)')?.focus();
  }
}
