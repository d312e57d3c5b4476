// The text of an email as its author wrote it, with merge tags; never with values of a subscriber.
import type { ComposedContent } from '#areas/content/composing-contract.ts';

const MAX_TEXT_LENGTH = 8000;
/** Properties of blocks whose texts subscribers read. */
const READ_PROPERTIES = new Set(['html', 'label', 'name', 'title']);

function collectTexts(value: unknown): string[] {
  if (Array.isArray(value)) return value.flatMap(collectTexts);
  if (value === null || typeof value !== 'object') return [];
  return Object.entries(value).flatMap(([name, part]) =>
    typeof part === 'string' ? (READ_PROPERTIES.has(name) ? [part] : []) : collectTexts(part),
  );
}

const visible = (html: string) => {
  const { body } = new DOMParser().parseFromString(html, 'text/html');
  for (const hidden of body.querySelectorAll('style, script')) hidden.remove();
  return body.textContent.replace(/\s+/g, ' ').trim();
};

export function extractTexts({ document, html, plain_text }: ComposedContent): string {
  const texts = document ? collectTexts(document.sections) : [html ?? plain_text ?? ''];
  const words = texts.map(visible).filter((text) => text !== '');
  return words.join('\n').slice(0, MAX_TEXT_LENGTH) || '-';
}
