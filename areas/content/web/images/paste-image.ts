// Handles an image that is pasted or dropped onto the canvas: it replaces the image of the selected
// block, or becomes a new block after the selection if that has no image.
import { createBlock } from '../../document-factory.ts';
import { putBlock } from '../actions.ts';
import type { EmailEditor } from '../store.ts';
import { findNode } from '../tree.ts';
import {
  findImageFile,
  toDocumentImage,
  readBlockImage,
  uploadImage,
  setBlockImage,
} from './upload.ts';

/**
 * Returns true if an image was pasted. Rich text with an embedded image, as from Word, is pasted as
 * text.
 */
export function pasteImage(editor: EmailEditor, data: DataTransfer): boolean {
  const file = data.types.includes('text/plain') ? undefined : findImageFile(data);
  if (!file) return false;
  const { document, selected } = editor.store.getState();
  const location = findNode(document, selected);
  const currentImage = location?.kind === 'block' ? readBlockImage(location.block) : undefined;
  void uploadImage(file).then((image) => {
    if (!image) return;
    const { selected: now, document: emailDocument } = editor.store.getState();
    if (currentImage && selected !== null && findNode(emailDocument, selected)) {
      editor.editBlock(selected, (block) =>
        setBlockImage(block, toDocumentImage(image, currentImage)),
      );
    } else {
      putBlock(editor, { ...createBlock('image'), image: toDocumentImage(image) }, now);
    }
  });
  return true;
}
