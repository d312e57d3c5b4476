// Merge tags as the editor sees them: a name, and the fallback for subscribers without a value.
// Unrecognized content is left unchanged.
import { replaceSpans, findSpans } from '#platform/spans.ts';

/** Matches each merge tag of a text: `{{name}}` with any filters, or `{$name}`. */
export const MERGE_TAG = /\{\{(?:[^{}"“”]|"[^"]*"|“[^“”]*”)*\}\}|\{\$[\p{L}_][\p{L}\p{N}_-]*\}/gu;
const FALLBACK = /\|\s*(?:default|fallback)\s*:\s*(?:"([^"]*)"|'([^']*)'|“([^“”]*)”)/u;

export type TagParts = { name: string; fallback: string | null };

export function readTag(raw: string): TagParts {
  const innerText = raw.startsWith('{$') ? raw.slice(2, -1) : raw.slice(2, -2);
  const [name = ''] = innerText.trim().split(/[\s|]/);
  const match = FALLBACK.exec(innerText);
  return { name, fallback: match ? (match[1] ?? match[2] ?? match[3] ?? '') : null };
}

/**
 * Returns the tag with another fallback, or without a fallback if it is null. Other filters remain.
 */
export function withFallback(raw: string, fallback: string | null): string {
  const innerText = raw.startsWith('{$') ? raw.slice(2, -1) : raw.slice(2, -2);
  const tagText = innerText.replace(FALLBACK, '').trim();
  const escapedFallback = (fallback ?? '').replaceAll('"', '”').replace(/[{}]/g, '');
  const [name = '', ...filters] = tagText.split('|').map((part) => part.trim());
  const first = fallback === null ? [name] : [name, `default: "${escapedFallback}"`];
  return `{{${[...first, ...filters].join(' | ')}}}`;
}

/** Splits text into plain text and merge tags, in order. */
export function splitTags(text: string): (string | { raw: string })[] {
  const parts: (string | { raw: string })[] = [];
  let at = 0;
  for (const { 0: raw, index } of text.matchAll(MERGE_TAG)) {
    if (index > at) parts.push(text.slice(at, index));
    parts.push({ raw: raw.replaceAll('\u00a0', ' ') });
    at = index + raw.length;
  }
  if (at < text.length) parts.push(text.slice(at));
  return parts;
}

/** Returns true if the text is exactly one merge tag. */
export function isTag(text: string): boolean {
  const parts = splitTags(text);
  return parts.length === 1 && typeof parts[0] === 'object';
}

/** Converts for Tiptap: each tag becomes an element. */
export function toElements(html: string): string {
  return outsideElements(html, (text) =>
    text.replace(MERGE_TAG, (raw) => `<span data-tag="${encode(decode(raw))}"></span>`),
  );
}

/** Converts back from Tiptap. Browsers serialize colors as rgb(); the document uses #rrggbb. */
export function fromElements(html: string): string {
  const taggedHtml = replaceSpans(html, /<span data-tag="/g, '</span>', ({ innerText }) =>
    decode(innerText.slice(0, innerText.indexOf('"')))
      .replace(/&/g, '&amp;')
      .replace(/</g, '&lt;')
      .replace(/>/g, '&gt;'),
  );
  return replaceSpans(taggedHtml, /</g, '>', ({ text }) => inHex(text));
}

function inHex(element: string): string {
  return element.replace(/rgb\((\d+),\s*(\d+),\s*(\d+)\)/g, (_, ...parts: string[]) => {
    const hex = parts.slice(0, 3).map((part) => Number(part).toString(16).padStart(2, '0'));
    return `#${hex.join('')}`;
  });
}

function outsideElements(html: string, change: (text: string) => string): string {
  let result = '';
  let position = 0;
  for (const { start, end, text } of findSpans(html, /</g, '>')) {
    result += (start > position ? change(html.slice(position, start)) : '') + text;
    position = end;
  }
  return result + html.slice(position).replace(/[^<]+/g, change);
}

function encode(text: string): string {
  return text
    .replace(/&/g, '&amp;')
    .replace(/</g, '&lt;')
    .replace(/>/g, '&gt;')
    .replace(/"/g, '&quot;');
}

function decode(text: string): string {
  return text
    .replace(/&quot;|&#34;/g, '"')
    .replace(/&#39;|&apos;/g, "'")
    .replace(/&nbsp;|\u00a0/g, ' ')
    .replace(/&lt;/g, '<')
    .replace(/&gt;/g, '>')
    .replace(/&amp;/g, '&');
}
