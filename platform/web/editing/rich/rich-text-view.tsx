// Draws rich text in the canvas: elements and styles that a document allows, and each merge tag as
// a chip. Scripts, frames and similar elements are removed with their content; any other element that
// a document does not allow is replaced with its content.
import { createElement, type CSSProperties, Fragment, type ReactNode } from 'react';
import { RICH_STYLES, RICH_TAGS } from '#platform/rich-text.ts';
import { readTag, splitTags } from './tags.ts';

const TAGS = new Set<string>(RICH_TAGS);
const REMOVED = /^(?:script|style|iframe|object|template|svg|math|noscript|textarea|title)$/;
const MAX_DEPTH = 50;

type LabelOf = (name: string) => string;

export function renderRichText(html: string, labelOf: LabelOf): ReactNode {
  const { body } = new DOMParser().parseFromString(html, 'text/html');
  return createElement(Fragment, null, ...renderNodes(body, labelOf, 0));
}

function renderNodes(parent: Node, labelOf: LabelOf, depth: number): ReactNode[] {
  return [...parent.childNodes].flatMap((node) => {
    if (node.nodeType === Node.TEXT_NODE) return chips(node.nodeValue ?? '', labelOf);
    if (!(node instanceof HTMLElement) || depth > MAX_DEPTH) return [];
    const name = node.tagName.toLowerCase();
    if (REMOVED.test(name)) return [];
    const children = renderNodes(node, labelOf, depth + 1);
    return TAGS.has(name) ? [createElement(name, styleOf(name, node), ...children)] : children;
  });
}

/** Styles elements. Links in the canvas are inactive: a click edits the text. */
function styleOf(name: string, { style }: HTMLElement) {
  const styles: Record<string, string> = {};
  for (const property of RICH_STYLES) {
    const value = style.getPropertyValue(property);
    if (value)
      styles[property.replace(/-(\w)/g, (_, character: string) => character.toUpperCase())] = value;
  }
  return { style: styles as CSSProperties, ...(name === 'a' ? { 'data-link': '' } : {}) };
}

function chips(text: string, labelOf: LabelOf): ReactNode[] {
  return splitTags(text).map((part) => {
    if (typeof part === 'string') return part;
    const { name, fallback } = readTag(part.raw);
    return createElement(
      'span',
      // A copied chip remains a tag instead of becoming its visible text.
      { className: 'merge-tag', 'data-tag': part.raw, title: fallback || undefined },
      labelOf(name),
    );
  });
}
