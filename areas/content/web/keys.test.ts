// @vitest-environment jsdom
// Keys that are named by a letter work whatever script the keyboard writes.
import { expect, it } from 'vitest';
import { newDocument, newSection } from '../document-factory.ts';
import { stepKeys } from '#platform/web/editing/step-keys.ts';
import { createEditorStore } from './store.ts';

it.each([
  ['English', 'z', 'y'],
  ['Persian', 'ظ', 'غ'],
])('takes a step back and goes on again: %s', (_, z, y) => {
  const editor = createEditorStore(newDocument([]));
  const press = (key: string, code: string, shiftKey = false) => {
    const event = new KeyboardEvent('keydown', {
      key,
      code,
      shiftKey,
      ctrlKey: true,
      cancelable: true,
    });
    document.body.addEventListener('keydown', (heard) => stepKeys(editor, heard), { once: true });
    document.body.dispatchEvent(event);
    expect(event.defaultPrevented).toBe(true);
    return editor.store.getState().document.sections.length;
  };
  editor.edit((before) => ({ ...before, sections: [newSection([[]])] }));
  expect(press(z, 'KeyZ')).toBe(0);
  expect(press(y, 'KeyY')).toBe(1);
  expect(press(z, 'KeyZ')).toBe(0);
  expect(press(z, 'KeyZ', true)).toBe(1);
});
