// Locates and replaces the external references of custom HTML: images, links, style sheets and the
// base URL; also scripts, which are not allowed in emails. The source is not reserialized, so
// everything that is not replaced stays unchanged.
import { decodeEntities, escapeHtml } from '../html/character-references.ts';
import { scanHtml } from '../../html-scanner.ts';
import type { OpeningTag } from '../html/html-parts.ts';

export type Reference = {
  /** `drop`: a script, which is not allowed in emails. */
  kind: 'picture' | 'link' | 'sheet' | 'base' | 'drop';
  start: number;
  end: number;
  /** The URL as browsers parse it. */
  address: string;
  /** Context in which a replacement is written. */
  writing: 'attribute' | 'style-attribute' | 'css' | 'element';
};

const PICTURES = new Set(['src', 'background', 'poster']);
const PICTURE_ELEMENTS = new Set(['img', 'v:fill', 'v:image', 'v:imagedata', 'input', 'video']);
const CSS_URL = /url\(\s*(?:(?:"([^"\n]*)"|'([^'\n]*)'|((?:[^\s"'()\\]|\\.)+))\s*)?\)/gi;
/** Quotes in attributes may be written as entities. */
const QUOTES = /^[\s"']+|(?<![\s"'])[\s"']+$/g;
/** A merge tag of this or another product, whose value is unknown. */
const TAGGED = /\{\{|\{\$|\*\||%%|<%/;

export function listReferences(html: string): Reference[] {
  const found: Reference[] = [];
  let script: number | undefined;
  for (const token of scanHtml(html)) {
    if (script !== undefined) {
      if (token.type !== 'raw') {
        const end = token.type === 'close' && token.name === 'script' ? token.end : token.start;
        found.push({ kind: 'drop', start: script, end, address: '', writing: 'element' });
        script = undefined;
        if (token.type === 'close') continue;
      } else continue;
    }
    if (token.type === 'raw' && token.element === 'style') {
      found.push(...cssReferences(html, token.start, token.end, 'css'));
    }
    if (token.type !== 'open') continue;
    if (token.name === 'script') script = token.start;
    else found.push(...ofElement(html, token));
  }
  if (script !== undefined)
    found.push({ kind: 'drop', start: script, end: html.length, address: '', writing: 'element' });
  return found;
}

function ofElement(html: string, token: OpeningTag): Reference[] {
  const read = (attributeName: string) => {
    const attribute = token.attributes.find(({ name }) => name === attributeName);
    return attribute
      ? decodeEntities(html.slice(attribute.start, attribute.end)).trim()
      : undefined;
  };
  const elementReference = (kind: 'sheet' | 'base', address: string): Reference[] => [
    { kind, start: token.start, end: token.end, address, writing: 'element' },
  ];
  const href = read('href');
  if (token.name === 'base' && href !== undefined) return elementReference('base', href);
  const isSheet = token.name === 'link' && /\bstylesheet\b/i.test(read('rel') ?? '');
  if (isSheet && href) return elementReference('sheet', href);
  return token.attributes.flatMap((attribute): Reference[] => {
    const { name, start, end } = attribute;
    if (name === 'style') return cssReferences(html, start, end, 'style-attribute');
    const isPicture =
      PICTURES.has(name) && (name === 'background' || PICTURE_ELEMENTS.has(token.name));
    const isLink = name === 'href' && (token.name === 'a' || token.name === 'area');
    if ((!isPicture && !isLink) || end === start) return [];
    const address = decodeEntities(html.slice(start, end)).trim();
    return [{ kind: isPicture ? 'picture' : 'link', start, end, address, writing: 'attribute' }];
  });
}

function cssReferences(
  html: string,
  from: number,
  to: number,
  writing: 'css' | 'style-attribute',
): Reference[] {
  return [...html.slice(from, to).matchAll(CSS_URL)].map((match) => {
    const quoted = match[1] ?? match[2] ?? match[3] ?? '';
    const start = from + match.index;
    const address = (writing === 'css' ? quoted : decodeEntities(quoted)).replace(QUOTES, '');
    return { kind: 'picture', start, end: start + match[0].length, address, writing };
  });
}

/** Replaces URLs in a style sheet; `replacementOf` returns undefined to leave one unchanged. */
export function replaceSheetUrls(
  css: string,
  replacementOf: (address: string) => string | undefined,
): string {
  return css.replace(CSS_URL, (written, double, single, bare) => {
    const absolute = replacementOf((double ?? single ?? bare ?? '').trim());
    return absolute === undefined ? written : `url("${inCss(absolute)}")`;
  });
}

/** The URLs in a style sheet. */
export function listSheetAddresses(css: string): string[] {
  const found = new Set<string>();
  replaceSheetUrls(css, (address) => {
    found.add(address);
    return undefined;
  });
  return [...found];
}

/** True for a relative URL without merge tags, except a mere fragment. */
export function isBeside(address: string): boolean {
  if (address === '' || address.startsWith('#') || TAGGED.test(address)) return false;
  return !/^[a-z][a-z0-9+.-]*:/i.test(address);
}

/** Replaces some of the references; undefined leaves one unchanged. */
export function replaceReferences(
  html: string,
  references: readonly Reference[],
  put: (reference: Reference) => string | undefined,
): string {
  let out = '';
  let at = 0;
  for (const reference of references) {
    const replacement = put(reference);
    if (replacement === undefined) continue;
    out += html.slice(at, reference.start) + writeReference(reference, replacement);
    at = reference.end;
  }
  return out + html.slice(at);
}

function writeReference({ writing }: Reference, replacement: string): string {
  if (writing === 'attribute') return escapeHtml(replacement).replace(/\s/g, '%20');
  if (writing === 'css') return `url("${inCss(replacement)}")`;
  if (writing === 'style-attribute') return `url(${escapeHtml(inCss(replacement))})`;
  return replacement;
}

/** Escapes a URL so that it can end neither `url()` nor the style sheet. */
const inCss = (address: string) =>
  address.replace(
    /["'()<>\\\s]/g,
    (sign) => `%${sign.charCodeAt(0).toString(16).padStart(2, '0')}`,
  );
