// Converts the flat list of blocks that a tool accepts into an email document.
import {
  createBlock,
  createEmailDocument,
  createSection,
} from '#areas/content/document-factory.ts';
import type { Block, EmailDocument } from '#areas/content/document.ts';
import type { BlockInput } from './schemas.ts';

const escape = (text: string) =>
  text.replace(/&/g, '&amp;').replace(/</g, '&lt;').replace(/>/g, '&gt;').replace(/"/g, '&quot;');

/** Converts plain text to rich text, with paragraphs at blank lines. */
const formatParagraphs = (text: string) =>
  text
    .split(/\n{2,}/)
    .map((paragraph) => `<p>${escape(paragraph.trim()).replace(/\n/g, '<br>')}</p>`)
    .join('');

function toDocumentBlock({ type, text, url, image_url, alt }: BlockInput): Block {
  switch (type) {
    case 'heading':
      return createBlock('heading', { html: formatParagraphs(text) });
    case 'text':
      return createBlock('text', { html: formatParagraphs(text) });
    case 'button':
      return createBlock('button', { label: text.replace(/\s+/g, ' ').trim(), href: url });
    case 'image':
      return createBlock('image', {
        image: { src: image_url, alt, width: null, height: null },
        href: url,
      });
    case 'divider':
      return createBlock('divider');
    case 'footer':
      return createBlock('footer', text === '' ? {} : { html: formatParagraphs(text) });
  }
}

/** Creates one section of all blocks. Adds a footer if there is none, as every email needs one. */
export function createDocument(blocks: readonly BlockInput[]): EmailDocument {
  const documentBlocks = blocks.map(toDocumentBlock);
  const footer = documentBlocks.some(({ type }) => type === 'footer')
    ? []
    : [createBlock('footer')];
  return createEmailDocument([createSection([[...documentBlocks, ...footer]])]);
}
