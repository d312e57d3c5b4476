// Cleans clipboard content of Word, Docs, Gmail and web pages: text, paragraphs, bold, italic,
// underline, strikethrough, links, lists, line breaks and merge tags remain. Headings become bold
// paragraphs, and table rows become paragraphs. Images are removed. Fonts, sizes and colors are
// dropped, because the email defines its own.

import { isAddress } from '#platform/rich-text.ts';
import { replaceSpans } from '#platform/spans.ts';
import { isTag } from './tags.ts';

const REMOVED =
  'style, script, meta, link, title, xml, head, img, svg, iframe, object, video, audio, button, input, select, textarea';
const BLOCKS =
  'p, div, h1, h2, h3, h4, h5, h6, blockquote, pre, tr, section, article, header, footer, address, li, ul, ol, table';

/** @returns paragraphs and lists of plain elements, ready for the editor */
export function cleanPaste(html: string): string {
  const body = new DOMParser().parseFromString(withoutWord(html), 'text/html').body;
  for (const element of body.querySelectorAll(REMOVED)) element.remove();
  convertWordLists(body);
  const output = document.createElement('div');
  copyBlocks(body, output);
  return output.innerHTML;
}

/**
 * Removes comments, the content of Word's conditional comments, and the tags of Office elements.
 */
function withoutWord(html: string): string {
  const enclosures: [RegExp, string][] = [
    [/<!--\[if/gi, '<![endif]-->'],
    [/<!\[(?:if|endif)/gi, '>'],
    [/<!--/g, '-->'],
    [/<\/?(?:o|w|m|v|st1):/gi, '>'],
  ];
  return enclosures.reduce(
    (rest, [opening, closing]) => replaceSpans(rest, opening, closing, () => ''),
    html,
  );
}

/** Word writes lists as paragraphs with bullets or numbers in their text. */
function convertWordLists(body: HTMLElement): void {
  const isItem = (node: Element | null): node is HTMLElement =>
    node instanceof HTMLElement && /mso-list:\s*l\d+/i.test(node.getAttribute('style') ?? '');
  for (const first of body.querySelectorAll('p, h1, h2, h3')) {
    if (!isItem(first) || !first.isConnected) continue;
    const marker = markerOf(first);
    const list = document.createElement(/^\(?[\da-z]{1,3}[.)]/i.test(marker) ? 'ol' : 'ul');
    first.before(list);
    for (let next: Element | null = first; isItem(next); next = list.nextElementSibling) {
      const item = document.createElement('li');
      removeMarker(next);
      item.append(...next.childNodes);
      next.remove();
      list.append(item);
    }
  }
}

const markers = (item: Element) =>
  [...item.querySelectorAll('span')].filter((span) =>
    /mso-list:\s*ignore/i.test(span.getAttribute('style') ?? ''),
  );
const markerOf = (item: Element) => markers(item)[0]?.textContent?.trim() ?? leading(item);
const leading = (item: Element) =>
  /^\s*([·•§o\-–]|\(?[\da-z]{1,3}[.)])[\s\u00a0]+/i.exec(item.textContent ?? '')?.[1] ?? '';

function removeMarker(item: Element): void {
  const bullets = markers(item);
  for (const bullet of bullets) bullet.remove();
  if (bullets.length > 0) return;
  const textNode = document.createTreeWalker(item, NodeFilter.SHOW_TEXT).nextNode();
  if (textNode)
    textNode.nodeValue = (textNode.nodeValue ?? '').replace(/^\s*\S{1,4}[\s\u00a0]+/, '');
}

function copyBlocks(from: Node, to: HTMLElement): void {
  let openParagraph: HTMLElement | null = null;
  for (const node of from.childNodes) {
    if (node instanceof HTMLElement && isBlock(node)) {
      openParagraph = null;
      copyBlock(node, to);
    } else if (openParagraph !== null || node.textContent?.trim()) {
      openParagraph ??= to.appendChild(document.createElement('p'));
      copyInline(node, openParagraph);
    }
  }
}

const isBlock = (node: HTMLElement) => node.matches(BLOCKS) || node.querySelector(BLOCKS) !== null;

function copyBlock(node: HTMLElement, to: HTMLElement): void {
  if (node.matches('ul, ol')) return copyList(node, to);
  if (node.querySelector(BLOCKS)) return copyBlocks(node, to);
  const paragraph = document.createElement('p');
  const isHeading = /^H[1-6]$/.test(node.tagName);
  const innerElement = isHeading
    ? paragraph.appendChild(document.createElement('strong'))
    : paragraph;
  for (const child of node.childNodes) copyInline(child, innerElement);
  if (paragraph.textContent?.trim()) to.append(paragraph);
}

function copyList(node: HTMLElement, to: HTMLElement): void {
  const list = document.createElement(node.tagName.toLowerCase());
  for (const child of node.children) {
    if (child.matches('ul, ol')) {
      // Google Docs puts a nested list beside its item instead of inside it.
      copyList(child as HTMLElement, (list.lastElementChild as HTMLElement | null) ?? list);
      continue;
    }
    const item = list.appendChild(document.createElement('li'));
    const paragraph = item.appendChild(document.createElement('p'));
    for (const part of child.childNodes) {
      if (part instanceof HTMLElement && part.matches('ul, ol')) copyList(part, item);
      else copyInline(part, paragraph);
    }
  }
  if (list.childElementCount > 0) to.append(list);
}

/**
 * Copies text with its links and marks. An element's style takes precedence over its name, because
 * Google Docs wraps everything in a `b` that is not bold.
 */
function copyInline(node: Node, to: HTMLElement): void {
  if (node.nodeType === Node.TEXT_NODE) {
    const text = (node.nodeValue ?? '').replace(/[\s\u00a0]+/g, ' ');
    if (text) to.append(text);
    return;
  }
  if (!(node instanceof HTMLElement)) return;
  if (node.tagName === 'BR') {
    to.append(document.createElement('br'));
    return;
  }
  const tag = node.getAttribute('data-tag');
  if (tag !== null && isTag(tag)) {
    to.append(tag);
    return;
  }
  let target = to;
  for (const name of marksOf(node)) target = target.appendChild(document.createElement(name));
  const href = node.tagName === 'A' ? (node.getAttribute('href') ?? '').trim() : '';
  // An anchor refers to the page the text was copied from.
  if (isAddress(href) && !/^(#|$)/.test(href)) {
    const link = target.appendChild(document.createElement('a'));
    link.setAttribute('href', href);
    target = link;
  }
  for (const child of node.childNodes) copyInline(child, target);
  if (isBlock(node) && node.nextSibling?.textContent?.trim()) {
    to.append(document.createElement('br'));
  }
}

function marksOf(node: HTMLElement): string[] {
  const { fontWeight, fontStyle, textDecoration, textDecorationLine } = node.style;
  const line = `${textDecoration} ${textDecorationLine}`;
  const isBold = fontWeight
    ? fontWeight === 'bold' || Number(fontWeight) >= 600
    : node.matches('b, strong');
  const isItalic = fontStyle ? fontStyle === 'italic' : node.matches('i, em');
  // Links are underlined by default.
  const isUnder = line.includes('underline')
    ? !node.closest('a') && !node.querySelector('a')
    : node.matches('u, ins');
  const isStruck = line.includes('line-through') || node.matches('s, strike, del');
  return [isBold && 'strong', isItalic && 'em', isUnder && 'u', isStruck && 's'].filter(
    (name) => name !== false,
  );
}
