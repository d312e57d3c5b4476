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
  /** Syntax that a replacement must fit. */
  syntax: 'attribute' | 'style-attribute' | 'css' | 'element';
};

const IMAGE_ATTRIBUTES = new Set(['src', 'background', 'poster']);
const PICTURE_ELEMENTS = new Set(['img', 'v:fill', 'v:image', 'v:imagedata', 'input', 'video']);
const CSS_URL = /url\(\s*(?:(?:"([^"\n]*)"|'([^'\n]*)'|((?:[^\s"'()\\]|\\.)+))\s*)?\)/gi;
/** Quotes in attributes may be written as entities. */
const QUOTES = /^[\s"']+|(?<![\s"'])[\s"']+$/g;
/** A merge tag of this or another product, whose value is unknown. */
const TAGGED = /\{\{|\{\$|\*\||%%|<%/;

export function listReferences(html: string): Reference[] {
  const references: Reference[] = [];
  let script: number | undefined;
  for (const token of scanHtml(html)) {
    if (script !== undefined) {
      if (token.type !== 'raw') {
        const end = token.type === 'close' && token.name === 'script' ? token.end : token.start;
        references.push({ kind: 'drop', start: script, end, address: '', syntax: 'element' });
        script = undefined;
        if (token.type === 'close') continue;
      } else continue;
    }
    if (token.type === 'raw' && token.element === 'style') {
      references.push(...listCssReferences(html, token.start, token.end, 'css'));
    }
    if (token.type !== 'open') continue;
    if (token.name === 'script') script = token.start;
    else references.push(...listElementReferences(html, token));
  }
  if (script !== undefined)
    references.push({
      kind: 'drop',
      start: script,
      end: html.length,
      address: '',
      syntax: 'element',
    });
  return references;
}

function listElementReferences(html: string, token: OpeningTag): Reference[] {
  const readAttribute = (attributeName: string) => {
    const attribute = token.attributes.find(({ name }) => name === attributeName);
    return attribute
      ? decodeEntities(html.slice(attribute.start, attribute.end)).trim()
      : undefined;
  };
  const createElementReference = (kind: 'sheet' | 'base', address: string): Reference[] => [
    { kind, start: token.start, end: token.end, address, syntax: 'element' },
  ];
  const href = readAttribute('href');
  if (token.name === 'base' && href !== undefined) return createElementReference('base', href);
  const isSheet = token.name === 'link' && /\bstylesheet\b/i.test(readAttribute('rel') ?? '');
  if (isSheet && href) return createElementReference('sheet', href);
  return token.attributes.flatMap((attribute): Reference[] => {
    const { name, start, end } = attribute;
    if (name === 'style') return listCssReferences(html, start, end, 'style-attribute');
    const isImage =
      IMAGE_ATTRIBUTES.has(name) && (name === 'background' || PICTURE_ELEMENTS.has(token.name));
    const isLink = name === 'href' && (token.name === 'a' || token.name === 'area');
    if ((!isImage && !isLink) || end === start) return [];
    const address = decodeEntities(html.slice(start, end)).trim();
    return [{ kind: isImage ? 'picture' : 'link', start, end, address, syntax: 'attribute' }];
  });
}

function listCssReferences(
  html: string,
  contentStart: number,
  contentEnd: number,
  syntax: 'css' | 'style-attribute',
): Reference[] {
  return [...html.slice(contentStart, contentEnd).matchAll(CSS_URL)].map((match) => {
    const rawAddress = match[1] ?? match[2] ?? match[3] ?? '';
    const start = contentStart + match.index;
    const address = (syntax === 'css' ? rawAddress : decodeEntities(rawAddress)).replace(
      QUOTES,
      '',
    );
    return { kind: 'picture', start, end: start + match[0].length, address, syntax };
  });
}

/** Replaces URLs in a style sheet; `findReplacement` returns undefined to leave one unchanged. */
export function replaceSheetUrls(
  css: string,
  findReplacement: (address: string) => string | undefined,
): string {
  return css.replace(CSS_URL, (match, double, single, unquoted) => {
    const absolute = findReplacement((double ?? single ?? unquoted ?? '').trim());
    return absolute === undefined ? match : `url("${inCss(absolute)}")`;
  });
}

/** Returns the URLs in a style sheet. */
export function listSheetAddresses(css: string): string[] {
  const addresses = new Set<string>();
  replaceSheetUrls(css, (address) => {
    addresses.add(address);
    return undefined;
  });
  return [...addresses];
}

/** Returns true for a relative URL without merge tags, except a mere fragment. */
export function isRelativeReference(address: string): boolean {
  if (address === '' || address.startsWith('#') || TAGGED.test(address)) return false;
  return !/^[a-z][a-z0-9+.-]*:/i.test(address);
}

/** Replaces some of the references; undefined leaves one unchanged. */
export function replaceReferences(
  html: string,
  references: readonly Reference[],
  createReplacement: (reference: Reference) => string | undefined,
): string {
  let output = '';
  let position = 0;
  for (const reference of references) {
    const replacement = createReplacement(reference);
    if (replacement === undefined) continue;
    output += html.slice(position, reference.start) + writeReference(reference, replacement);
    position = reference.end;
  }
  return output + html.slice(position);
}

function writeReference({ syntax }: Reference, replacement: string): string {
  if (syntax === 'attribute') return escapeHtml(replacement).replace(/\s/g, '%20');
  if (syntax === 'css') return `url("${inCss(replacement)}")`;
  if (syntax === 'style-attribute') return `url(${escapeHtml(inCss(replacement))})`;
  return replacement;
}

/** Escapes a URL so that it can end neither `url()` nor the style sheet. */
const inCss = (address: string) =>
  address.replace(
    /["'()<>\\\s]/g,
    (sign) => `%${sign.charCodeAt(0).toString(16).padStart(2, '0')}`,
  );
