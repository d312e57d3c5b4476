// Instruments HTML in one scan: links and merge tags are replaced; the pixel, the footer and the
// hidden preheader are added; all other bytes stay as pasted.
import { createAdditions } from './html-additions.ts';
import { summarizeHtml, type HtmlSummary } from './html-summary.ts';
import { listAttributeCuts } from './html-links.ts';
import type { HtmlCut } from './html-parts.ts';
import { escapeHtml } from './character-references.ts';
import { type HtmlToken, scanHtml } from '../../html-scanner.ts';
import {
  addFinding,
  addTagErrors,
  type Instrumenting,
  toMaskedParts,
  type MessagePart,
} from './instrumenting.ts';
import { type MaskedSource, maskTags, splitMasked, unmask } from './masked-source.ts';
import type { TagError, TagPart } from '../personalization/merge-tags.ts';

export type InstrumentedHtml = {
  parts: MessagePart[];
  summary: HtmlSummary;
  masked: MaskedSource;
  tokens: HtmlToken[];
};

export function instrumentHtml(instrumenting: Instrumenting, html: string): InstrumentedHtml {
  const masked = maskTags(html, true);
  const tokens = [...scanHtml(masked.text)];
  const hidden = findHiddenRanges(tokens);
  addTagErrors(instrumenting, 'html', html, filterVisibleErrors(html, masked.errors));
  const summary = summarizeHtml(instrumenting, masked, tokens);
  const cuts = [
    ...hidden.map((range) => restoreSource(instrumenting, html, masked, range)),
    ...tokens.flatMap((token, i) =>
      token.type === 'open' ? listAttributeCuts(instrumenting, html, masked, tokens, i) : [],
    ),
    ...createAdditions(instrumenting, masked, tokens, summary),
  ].sort((a, b) => a.start - b.start || a.end - b.end);
  return { parts: applyCuts(instrumenting, masked, cuts), summary, masked, tokens };
}

/** Braces inside scripts, styles and comments are neither merge tags nor errors. */
function filterVisibleErrors(html: string, errors: readonly TagError[]): TagError[] {
  if (errors.length === 0) return [];
  const hidden = findHiddenRanges([...scanHtml(html)]);
  return errors.filter(
    ({ position }) => !hidden.some(({ start, end }) => position >= start && position < end),
  );
}

/** Returns the merge tags that take effect; tags in scripts, styles and comments remain literal. */
export function listFilledTags(html: string): TagPart[] {
  const { text, tags } = maskTags(html, true);
  if (tags.length === 0) return [];
  const hidden = findHiddenRanges([...scanHtml(text)]);
  const hiddenIndexes = new Set(
    hidden.flatMap(({ start, end }) =>
      splitMasked(text.slice(start, end)).filter((part) => typeof part === 'number'),
    ),
  );
  return tags.filter((_, index) => !hiddenIndexes.has(index));
}

type HiddenRange = { start: number; end: number; element: string };

function findHiddenRanges(tokens: readonly HtmlToken[]): HiddenRange[] {
  return tokens.flatMap((token): HiddenRange[] => {
    const { start, end } = token;
    if (token.type === 'raw') return [{ start, end, element: token.element }];
    return token.type === 'comment' ? [{ start, end, element: '' }] : [];
  });
}

/** Keeps the braces of scripts, styles and comments; a merge tag in a style is a finding. */
function restoreSource(
  instrumenting: Instrumenting,
  html: string,
  masked: MaskedSource,
  range: HiddenRange,
): HtmlCut {
  const inside = masked.text.slice(range.start, range.end);
  if (range.element === 'style') {
    for (const match of inside.matchAll(/\ufdd0(\d+)\ufdd1/g)) {
      const tag = masked.tags[Number(match[1])];
      if (tag !== undefined) {
        addFinding(instrumenting, 'tag_in_style', 'html', html, tag.position, { tag: tag.source });
      }
    }
  }
  return { start: range.start, end: range.end, parts: [unmask(inside, masked.tags)] };
}

function applyCuts(
  instrumenting: Instrumenting,
  masked: MaskedSource,
  cuts: readonly HtmlCut[],
): MessagePart[] {
  const parts: MessagePart[] = [];
  let copiedTo = 0;
  for (const cut of cuts) {
    if (cut.start < copiedTo) continue;
    parts.push(
      ...toMaskedParts(
        instrumenting,
        masked.text.slice(copiedTo, cut.start),
        masked.tags,
        escapeHtml,
      ),
    );
    parts.push(...cut.parts);
    copiedTo = cut.end;
  }
  parts.push(...toMaskedParts(instrumenting, masked.text.slice(copiedTo), masked.tags, escapeHtml));
  return parts;
}
