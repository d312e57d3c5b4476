// Inserts an image that was pasted or dropped onto the canvas into the selected block, or into a
// new block after it.
import { newBlock } from '../../document-factory.ts';
import { putBlock } from '../actions.ts';
import type { Editor } from '../store.ts';
import { findNodePlace } from '../tree.ts';
import { imageIn, pictureFrom, pictureOf, uploadImage, withPicture } from './upload.ts';

/**
 * Returns true if an image was pasted. Rich text with an embedded image, as from Word, is pasted as
 * text.
 */
export function pasteImage(editor: Editor, data: DataTransfer): boolean {
  const file = data.types.includes('text/plain') ? undefined : imageIn(data);
  if (!file) return false;
  const { document, selected } = editor.store.getState();
  const place = findNodePlace(document, selected);
  const picture = place?.kind === 'block' ? pictureOf(place.block) : undefined;
  void uploadImage(file).then((image) => {
    if (!image) return;
    const { selected: now, document: emailDocument } = editor.store.getState();
    if (picture && selected !== null && findNodePlace(emailDocument, selected)) {
      editor.editBlock(selected, (block) => withPicture(block, pictureFrom(image, picture)));
    } else {
      putBlock(editor, { ...newBlock('image'), image: pictureFrom(image) }, now);
    }
  });
  return true;
}
