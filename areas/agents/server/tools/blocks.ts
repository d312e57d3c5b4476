// Converts the flat list of blocks that a tool accepts into an email document.
import { newBlock, newDocument, newSection } from '#areas/content/document-factory.ts';
import type { Block, EmailDocument } from '#areas/content/document.ts';
import type { BlockInput } from './schemas.ts';

const escape = (text: string) =>
  text.replace(/&/g, '&amp;').replace(/</g, '&lt;').replace(/>/g, '&gt;').replace(/"/g, '&quot;');

/** Converts plain text to rich text, with paragraphs at blank lines. */
const paragraphs = (text: string) =>
  text
    .split(/\n{2,}/)
    .map((paragraph) => `<p>${escape(paragraph.trim()).replace(/\n/g, '<br>')}</p>`)
    .join('');

function createBlock({ type, text, url, image_url, alt }: BlockInput): Block {
  switch (type) {
    case 'heading':
      return newBlock('heading', { html: paragraphs(text) });
    case 'text':
      return newBlock('text', { html: paragraphs(text) });
    case 'button':
      return newBlock('button', { label: text.replace(/\s+/g, ' ').trim(), href: url });
    case 'image':
      return newBlock('image', {
        image: { src: image_url, alt, width: null, height: null },
        href: url,
      });
    case 'divider':
      return newBlock('divider');
    case 'footer':
      return newBlock('footer', text === '' ? {} : { html: paragraphs(text) });
  }
}

/** Creates one section of all blocks, with a footer, which every email needs. */
export function createDocument(blocks: readonly BlockInput[]): EmailDocument {
  const documentBlocks = blocks.map(createBlock);
  const footer = documentBlocks.some(({ type }) => type === 'footer') ? [] : [newBlock('footer')];
  return newDocument([newSection([[...documentBlocks, ...footer]])]);
}
