// @vitest-environment jsdom
// Letter shortcuts work with keyboards of any script, and a text that is still opening receives
// keystrokes.
import { expect, it } from 'vitest';
import { Editor } from '@tiptap/core';
import StarterKit from '@tiptap/starter-kit';
import { createBlock, createEmailDocument, createSection } from '../document-factory.ts';
import { handleCanvasKeys } from './keys.ts';
import { stepKeys } from '#platform/web/editing/step-keys.ts';
import { createEditorStore } from './store.ts';

it.each([
  ['English', 'z', 'y'],
  ['Persian', 'ظ', 'غ'],
])('shortcuts undo and redo on a keyboard for %s', (_, z, y) => {
  const editor = createEditorStore(createEmailDocument([]));
  const press = (key: string, code: string, shiftKey = false) => {
    const event = new KeyboardEvent('keydown', {
      key,
      code,
      shiftKey,
      ctrlKey: true,
      cancelable: true,
    });
    document.body.addEventListener('keydown', (received) => stepKeys(editor, received), {
      once: true,
    });
    document.body.dispatchEvent(event);
    expect(event.defaultPrevented).toBe(true);
    return editor.store.getState().document.sections.length;
  };
  editor.edit((before) => ({ ...before, sections: [createSection([[]])] }));
  expect(press(z, 'KeyZ')).toBe(0);
  expect(press(y, 'KeyY')).toBe(1);
  expect(press(z, 'KeyZ')).toBe(0);
  expect(press(z, 'KeyZ', true)).toBe(1);
});

it('keys pressed before an opened text is ready are typed into it and do not delete a block', () => {
  const editor = createEditorStore(
    createEmailDocument([createSection([[createBlock('heading', { id: 'h', html: 'Tea' })]])]),
  );
  const { document: before } = editor.store.getState();
  const press = (key: string) => {
    const event = new KeyboardEvent('keydown', { key });
    Object.defineProperty(event, 'target', { value: document.body });
    type KeyArguments = Parameters<typeof handleCanvasKeys>;
    handleCanvasKeys(editor, {} as KeyArguments[1], event as unknown as KeyArguments[2]);
  };
  editor.startWriting('h');
  for (const key of ['A', 'B', 'C', 'Backspace', 'ب']) press(key);
  expect(editor.store.getState().document).toBe(before);
  const textEditor = new Editor({ extensions: [StarterKit], content: '<p>Tea</p>' });
  textEditor.commands.setTextSelection(textEditor.state.doc.content.size - 1);
  editor.bufferedKeys.replayInto(textEditor);
  expect(textEditor.getText()).toBe('TeaABب');
  // Text is open for editing while another element has the focus.
  editor.store.setState({ textEditor });
  press('Backspace');
  expect([textEditor.getText(), editor.store.getState().document]).toEqual(['TeaAB', before]);
  // A text that is opened again receives no earlier keystrokes.
  editor.stopWriting();
  editor.startWriting('h');
  editor.bufferedKeys.replayInto(textEditor);
  expect(textEditor.getText()).toBe('TeaAB');
});
