// Undo and redo: fifty steps, typing grouped per text, and a new edit clears redo.
import { describe, expect, it } from 'vitest';
import { createBlock, createEmailDocument, createSection } from '../document-factory.ts';
import { createEditorStore } from './store.ts';

function openStore() {
  const document = createEmailDocument([
    createSection([[createBlock('text', { id: 'a', html: '' })]]),
  ]);
  const editor = createEditorStore(document);
  const write = (html: string, name?: string) =>
    editor.editBlock('a', (block) => ({ ...block, html }) as typeof block, name);
  const html = () => {
    const block = editor.store.getState().document.sections[0]?.columns[0]?.blocks[0];
    return block?.type === 'text' ? block.html : undefined;
  };
  return { editor, write, html };
}

describe('undo and redo', () => {
  it('typing text is one undo step', () => {
    const { editor, write, html } = openStore();
    for (const input of ['a', 'ab', 'abc']) write(input, 'words');
    editor.undo();
    expect(html()).toBe('');
    editor.redo();
    expect(html()).toBe('abc');
  });

  it('a new edit is a separate step and clears the redo steps', () => {
    const { editor, write, html } = openStore();
    write('one', 'words');
    write('two');
    editor.undo();
    write('three', 'words');
    editor.redo();
    expect(html()).toBe('three');
    editor.undo();
    expect(html()).toBe('one');
  });

  it('fifty undo steps are kept', () => {
    const { editor, write, html } = openStore();
    for (let n = 1; n <= 60; n++) write(String(n));
    for (let n = 0; n < 70; n++) editor.undo();
    expect(html()).toBe('10');
  });

  it('selecting a node does not add an undo step, and redoing its removal deselects it', () => {
    const { editor } = openStore();
    editor.select('a');
    expect(editor.store.temporal.getState().pastStates).toHaveLength(0);
    editor.edit((document) => ({ ...document, sections: [] }));
    editor.undo();
    expect(editor.store.getState().selected).toBe('a');
    editor.redo();
    expect(editor.store.getState().selected).toBeNull();
  });
});
