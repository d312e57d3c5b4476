// Reads saved content: validates documents and inlines style sheets of custom HTML.
import { inline } from '@css-inline/css-inline';
import type { EmailDocument } from '../document.ts';
import { findDocumentProblems } from '../document-rules.ts';
import { type ContentKind, MAX_CONTENT_BYTES } from '../shared.ts';
import { measureHtmlDepth, type HtmlDepth, MAX_DEPTH, PLAIN_MARK } from './html/html-depth.ts';
import { inlineSheets } from './html/inline-stylesheets.ts';
import { maskTags, unmask } from './html/masked-source.ts';
import { findLineAndColumn } from './personalization/merge-tags.ts';
import { ContentError, type ContentFinding } from './personalization/message-source.ts';

export type DraftContent = {
  kind: ContentKind;
  document: unknown;
  html: string | null;
  plain_text: string | null;
  inline_css: boolean;
};

/** @throws ContentError if the document was created by a newer version or is malformed */
export function parseReadableDocument(value: unknown): EmailDocument {
  const problems = findDocumentProblems(value);
  if (problems.length === 0) return value as EmailDocument;
  throw new ContentError(
    problems.map(({ code, place: path, node }): ContentFinding => {
      const finding: ContentFinding = {
        code,
        severity: 'error',
        part: 'html',
        values: { place: path },
      };
      return node === null ? finding : { ...finding, node };
    }),
  );
}

/** Maximum product of selectors and elements, which takes about a second. */
const MAX_MATCHES = 20_000_000;
/**
 * Maximum characters of style sheets times elements: the output if every rule matches every
 * element.
 */
const MAX_OUTPUT_LENGTH = 400_000_000;
/**
 * Maximum pairs of attributes within tags, summed across all tags, which the inliner's parser
 * compares in about a second.
 */
const MAX_ATTRIBUTE_PAIRS = 100_000_000;

/**
 * HTML parsers disagree on the content and the end of these elements. Their names are marked, so
 * that the depth check and the inliner both treat them as ordinary elements.
 */
const DISPUTED = /<\/?(?:select|template|isindex)(?=[\s/>])/gi;

/**
 * Inlines style sheets. Conditional comments, media queries, merge tags and the doctype are
 * unchanged; `!important` declarations remain in their sheet; invalid CSS is ignored. Returns the
 * HTML unchanged if the inliner fails.
 * @throws ContentError above the limits of size, nesting or time
 */
export function inlineCss(html: string): string {
  const bytes = Buffer.byteLength(html);
  if (bytes > MAX_CONTENT_BYTES) {
    const values = { bytes };
    throw new ContentError([{ code: 'too_large', severity: 'error', part: 'html', values }]);
  }
  const masked = maskTags(html, true);
  const text = masked.text.replace(DISPUTED, `$&${PLAIN_MARK}`);
  const restoreSource = (part: string) => unmask(part.replaceAll(PLAIN_MARK, ''), masked.tags);
  const depth = measureHtmlDepth(text);
  if (depth.tooDeepAt !== undefined) {
    throw createTooDeepError(
      findLineAndColumn(html, restoreSource(text.slice(0, depth.tooDeepAt)).length),
    );
  }
  refuseLargeSheets(text, depth);
  // The inliner has its own recursive parser; its stack overflow would end the process.
  const closedHtml = depth.serializeClosed();
  const closedDepth = measureHtmlDepth(closedHtml);
  if (closedDepth.tooDeepAt !== undefined) throw createTooDeepError();
  refuseLargeSheets(closedHtml, closedDepth);
  try {
    const sheets = inlineSheets(closedHtml);
    const inlinedHtml = inline(sheets.html, { keepStyleTags: true, loadRemoteStylesheets: false });
    return restoreDoctype(html, restoreSource(sheets.restore(inlinedHtml)));
  } catch {
    return html;
  }
}

const DOCTYPE = /^\s*<!doctype[^>]*>/i;

/**
 * Restores the original doctype, which mail clients use to choose their layout mode. The inliner
 * always writes an HTML5 doctype.
 */
function restoreDoctype(original: string, inlinedHtml: string): string {
  const doctype = DOCTYPE.exec(original)?.[0];
  const body = inlinedHtml.replace(DOCTYPE, '');
  return doctype === undefined ? body : `${doctype}${body}`;
}

function createTooDeepError(position: { line?: number; column?: number } = {}): ContentError {
  const finding = { code: 'nested_too_deep', severity: 'error', part: 'html' } as const;
  return new ContentError([{ ...finding, ...position, values: { depth: MAX_DEPTH } }]);
}

function refuseLargeSheets(html: string, { elementCount, attributePairCount }: HtmlDepth): void {
  const sheets = listSheets(html);
  const matches = Math.max(1, countSelectors(sheets)) * elementCount;
  const outputSize = sheets.reduce((total, { length }) => total + length, 0) * elementCount;
  if (
    matches > MAX_MATCHES ||
    outputSize > MAX_OUTPUT_LENGTH ||
    attributePairCount > MAX_ATTRIBUTE_PAIRS
  ) {
    throw new ContentError([{ code: 'css_too_large', severity: 'error', part: 'html' }]);
  }
}

function countSelectors(sheets: readonly string[]): number {
  return sheets.reduce((total, sheet) => total + sheet.split(/[{,]/).length, 0);
}

/** Returns the content of style elements: everything up to the closing tag. */
function listSheets(html: string): string[] {
  const opening = /<style\b/gi;
  const closing = /<\/style/gi;
  const sheets: string[] = [];
  while (opening.exec(html)) {
    const end = html.indexOf('>', opening.lastIndex);
    if (end === -1) break;
    const sheetStart = end + 1;
    closing.lastIndex = sheetStart;
    const sheetEnd = closing.exec(html)?.index ?? html.length;
    sheets.push(html.slice(sheetStart, sheetEnd));
    opening.lastIndex = sheetEnd;
  }
  return sheets;
}
