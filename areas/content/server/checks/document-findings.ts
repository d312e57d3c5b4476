// Finds problems in a document and locates their block or section: missing images and alternative
// text, links without a target, incomplete events and countdowns, footers with a condition, active
// content in custom HTML, text unreadable on its background.
import type { Block, BlockOf, EmailDocument, Section } from '../../document.ts';
import { forEachBlock, listBlockImages } from '../../document.ts';
import { computeContrast } from '../../colors.ts';
import { resolveBackground, resolveTextColor } from '../../document-layout.ts';
import { MAX_EVENTS } from '../../shared.ts';
import { readEventTimes, toInstant } from '../document/calendar.ts';
import { scanHtml } from '../../html-scanner.ts';
import type { ContentFinding, FindingSeverity } from '../personalization/message-source.ts';

/** Codes of findings that the check of the rendered HTML finds as well, but without their block. */
const BY_BLOCK = new Set(['link_empty', 'image_without_alt', 'script', 'event_handler']);
const MIN_CONTRAST = 3;
const MERGE_TAG = /\{\{|\{\$/;

export function listDocumentFindings(document: EmailDocument): ContentFinding[] {
  const findings: ContentFinding[] = [];
  let events = 0;
  const add = (
    code: string,
    severity: FindingSeverity,
    { id }: Block | Section,
    values: ContentFinding['values'] = {},
  ) => findings.push({ code, severity, part: 'html', node: id, values });
  for (const section of document.sections) {
    const hasFooter = section.columns.some(({ blocks }) =>
      blocks.some(({ type }) => type === 'footer'),
    );
    if (section.condition !== null && hasFooter) add('footer_conditional', 'warning', section);
  }
  forEachBlock(document, (block, column, section) => {
    // A store's product supplies its image and URL.
    if (block.type === 'product' && block.pick) return;
    const gaps = 'html' in block ? countGaps(block.html) : { links: 0, images: 0 };
    if (gaps.links > 0 || listBlockLinks(block).some(leadsNowhere))
      add('link_empty', 'warning', block);
    if (gaps.images > 0) add('image_without_alt', 'warning', block, { count: gaps.images });
    for (const { src, alt } of listBlockImages(block)) {
      const isLogo = block.type === 'header';
      if (src === '' && !isLogo && block.type !== 'video') add('image_missing', 'warning', block);
      else if (src !== '' && alt.trim() === '' && !isLogo)
        add('image_without_alt', 'warning', block, { count: 1 });
    }
    if (block.type === 'event') {
      events++;
      for (const [code, severity] of listEventFaults(block, section, events))
        add(code, severity, block);
    }
    for (const { code, values } of listErrors(block)) add(code, 'error', block, values);
    const background = resolveBackground(block, column, section, document.settings);
    const text = resolveTextColor(block, background, document.settings);
    if (hasText(block) && computeContrast(text, background) < MIN_CONTRAST) {
      add('contrast_low', 'warning', block);
    }
  });
  return findings;
}

/** Errors of a custom HTML block or a countdown. */
function listErrors(block: Block): { code: string; values: Record<string, string> }[] {
  if (block.type === 'html')
    return listDangers(block.html).map(({ code, name }) => ({ code, values: { name } }));
  if (block.type !== 'countdown') return [];
  const codes: string[] = [];
  if (!toInstant(block.ends, block.zone)) codes.push('countdown_incomplete');
  if (MERGE_TAG.test(block.ended)) codes.push('countdown_tag');
  return codes.map((code) => ({ code, values: {} }));
}

/** Lists warnings about countdowns that have already ended. */
export function listExpiredFindings(document: EmailDocument, now: Date): ContentFinding[] {
  const findings: ContentFinding[] = [];
  forEachBlock(document, (block) => {
    const end = block.type === 'countdown' ? toInstant(block.ends, block.zone) : undefined;
    if (end === undefined || end > now) return;
    findings.push({ code: 'countdown_over', severity: 'warning', part: 'html', node: block.id });
  });
  return findings;
}

/**
 * Lists findings about an event block and the condition of its section. `number` counts the events
 * of the document from 1.
 */
function listEventFaults(
  block: BlockOf<'event'>,
  section: Section,
  number: number,
): [string, FindingSeverity][] {
  const findings: [string, FindingSeverity][] = [];
  if (block.title.trim() === '' || !readEventTimes(block))
    findings.push(['event_incomplete', 'error']);
  if (MERGE_TAG.test(block.title + block.place)) findings.push(['event_tag', 'error']);
  if (number > MAX_EVENTS) findings.push(['events_many', 'error']);
  if (section.condition !== null) findings.push(['event_conditional', 'warning']);
  return findings;
}

/**
 * Omits the findings about the rendered HTML that `listDocumentFindings` reports by block. In the
 * remaining ones, replaces the line with the block that contains the tag or URL.
 */
export function locateFindings(
  document: EmailDocument,
  findings: readonly ContentFinding[],
): ContentFinding[] {
  return findings
    .filter(({ part, code }) => part !== 'html' || !BY_BLOCK.has(code))
    .map(({ line, column, ...finding }) => {
      if (finding.part !== 'html') {
        return { ...finding, ...(line && { line }), ...(column && { column }) };
      }
      const needle = finding.values?.tag ?? finding.values?.url;
      const node = typeof needle === 'string' ? findBlockContaining(document, needle) : undefined;
      return node === undefined ? finding : { ...finding, node };
    });
}

function findBlockContaining(document: EmailDocument, needle: string): string | undefined {
  let blockId: string | undefined;
  forEachBlock(document, (block) => {
    blockId ??= listTexts(block).some((text) => text.includes(needle)) ? block.id : undefined;
  });
  return blockId;
}

/** Returns all strings of a block at any depth. */
function listTexts(value: unknown): string[] {
  if (typeof value === 'string') return [value];
  if (typeof value !== 'object' || value === null) return [];
  return Object.values(value).flatMap(listTexts);
}

const leadsNowhere = (href: string) => href.trim() === '' || href.trim() === '#';

/** Links without target and images without alternative text, in text and custom HTML. */
function countGaps(html: string): { links: number; images: number } {
  const gaps = { links: 0, images: 0 };
  for (const token of scanHtml(html)) {
    if (token.type !== 'open') continue;
    const readAttribute = (attributeName: string) => {
      const attribute = token.attributes.find(({ name }) => name === attributeName);
      return attribute && html.slice(attribute.start, attribute.end);
    };
    const isPixel = readAttribute('width') === '1' && readAttribute('height') === '1';
    if (token.name === 'a' && leadsNowhere(readAttribute('href') ?? 'none')) gaps.links++;
    if (token.name === 'img' && readAttribute('alt') === undefined && !isPixel) gaps.images++;
  }
  return gaps;
}

/** Returns the link URLs of a block, except optional ones. */
function listBlockLinks(block: Block): string[] {
  switch (block.type) {
    case 'button':
    case 'video':
      return [block.href];
    case 'menu':
      return block.items.map(({ href }) => href);
    case 'product':
    case 'coupon':
      return block.label === '' ? [] : [block.href];
    case 'social':
      return block.links.map(({ href }) => href);
    default:
      return [];
  }
}

function hasText({ type }: Block): boolean {
  return !['image', 'divider', 'spacer', 'social', 'video', 'button', 'html', 'countdown'].includes(
    type,
  );
}

/** Lists active content, each kind once. */
function listDangers(html: string): { code: string; name: string }[] {
  const dangers = new Map<string, string>();
  for (const token of scanHtml(html)) {
    if (token.type !== 'open') continue;
    if (token.name === 'script') dangers.set('script', token.name);
    const handler = token.attributes.find(({ name }) => /^on[a-z]+$/.test(name));
    if (handler) dangers.set('event_handler', handler.name);
  }
  return [...dangers].map(([code, name]) => ({ code, name }));
}
