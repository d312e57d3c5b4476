// Marks email text on the clipboard, so that pasting it keeps merge tags, links and styles. Content
// of other programs is cleaned.
import { Extension } from '@tiptap/core';
import { DOMSerializer } from '@tiptap/pm/model';
import { Plugin } from '@tiptap/pm/state';
import { cleanPaste } from './paste.ts';
import { toElements } from './tags.ts';

const EMAIL_TEXT_MARKER = 'data-mail-words';

class OwnTextSerializer extends DOMSerializer {
  override serializeFragment(...all: Parameters<DOMSerializer['serializeFragment']>) {
    const fragment = super.serializeFragment(...all);
    const first = fragment instanceof DocumentFragment ? fragment.firstElementChild : null;
    first?.setAttribute(EMAIL_TEXT_MARKER, '');
    return fragment;
  }
}

export const OwnClipboard = Extension.create({
  name: 'ownClipboard',
  addProseMirrorPlugins() {
    const { nodes, marks } = DOMSerializer.fromSchema(this.editor.schema);
    return [
      new Plugin({
        props: {
          clipboardSerializer: new OwnTextSerializer(nodes, marks),
          transformPastedHTML: (html) =>
            html.includes(EMAIL_TEXT_MARKER) ? html : toElements(cleanPaste(html)),
        },
      }),
    ];
  },
});
