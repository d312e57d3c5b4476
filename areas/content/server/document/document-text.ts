// Renders a document as plain text with the order, merge tags and conditions of the HTML.
import { LOCALE } from '#platform/languages.ts';
import type { Block, BlockOf, Section } from '../../document.ts';
import { readHideOn, readSectionHideOn } from '../../document-layout.ts';
import { removeMarkers } from '../personalization/conditions.ts';
import { markAddress, removeMarks, createTextReader } from '../html/html-to-text.ts';
import { maskTags, splitMasked, unmask } from '../html/masked-source.ts';
import { cleanBlockHtml, cleanRichText, unwrapListItems } from '../rich-text.ts';
import { createCalendarLinks, formatEventTime } from './calendar.ts';
import { formatEnd } from './countdown.ts';
import { createAddressLine, type DocumentContext } from './frame.ts';
import { wrapInLoop } from './repeated-row.ts';

const toText = createTextReader({ maxInputLength: 1024 * 1024, maxDepth: 100 });

/** @param wrap wraps a section's text in the section's condition, if any */
export function renderDocumentText(
  sections: readonly Section[],
  context: DocumentContext,
  wrap: (section: Section, text: string) => string,
): string {
  const visibleSections = sections.filter((section) => readSectionHideOn(section) !== 'desktop');
  const sectionTexts = visibleSections.map((section) => {
    const blocks = section.columns.flatMap((column) => column.blocks);
    const text = blocks
      .filter((block) => readHideOn(block) !== 'desktop')
      .map((block) => removeMarkers(formatBlock(block, context)))
      .filter((text) => text !== '')
      .join('\n\n');
    return text === '' ? '' : wrap(section, `${text}\n\n`);
  });
  return sectionTexts.join('').trim();
}

function formatBlock(block: Block, context: DocumentContext): string {
  switch (block.type) {
    case 'heading':
      return formatHeading(block);
    case 'text':
      return toPlainText(block.html);
    case 'html':
      return toPlainTextOf(cleanBlockHtml(block.html));
    case 'image':
      return formatLink(block.image.alt, block.href);
    case 'video':
      return formatLink(block.poster.alt || context.texts.play, block.href);
    case 'button':
      return formatLink(block.label, block.href);
    case 'menu':
      return block.items.map(({ label, href }) => formatLink(label, href)).join('\n');
    case 'social':
      return block.links
        .filter(({ href }) => href !== '')
        .map(({ network, href }) => `${context.texts.networks[network]}: ${markAddress(href)}`)
        .join('\n');
    case 'product':
      return formatProduct(block);
    case 'coupon': {
      const code = block.code === '' ? '' : `*** ${block.code} ***`;
      const action = formatLink(block.label, block.href);
      return [block.title, code, toPlainText(block.html), action].filter(Boolean).join('\n');
    }
    case 'event':
      return formatEvent(block, context);
    case 'countdown':
      return formatLink(formatEnd(block, context), block.href);
    case 'table':
      return block.rows
        .map((row, r) => wrapInLoop(block, r, `${row.map(toPlainText).join('  |  ')}\n`))
        .join('')
        .replace(/\n$/, '');
    case 'header':
      return '{{company}}';
    case 'footer':
      return formatFooter(block, context);
    default:
      return '';
  }
}

function formatHeading({ html, level }: BlockOf<'heading'>): string {
  const plainText = toPlainText(html);
  if (plainText === '' || level === 3) return plainText;
  const rule = level === 1 ? '=' : '-';
  const width = Math.min(60, measureWidth(plainText.split('\n').at(-1) ?? ''));
  return `${plainText}\n${rule.repeat(width)}`;
}

function formatProduct(block: BlockOf<'product'>): string {
  const oldPrice = block.old_price === '' ? '' : ` (${block.old_price})`;
  const price = block.price === '' ? '' : block.price + oldPrice;
  const action = formatLink(block.label, block.href);
  return [block.name, price, toPlainText(block.html), action].filter(Boolean).join('\n');
}

function formatEvent(block: BlockOf<'event'>, context: DocumentContext): string {
  const time = formatEventTime(block, LOCALE[context.language]);
  const links = createCalendarLinks(block).map(({ name, href }) => formatLink(name, href));
  const file = links.length === 0 ? '' : context.texts.calendarFile;
  return [block.title, time, block.place, ...links, file].filter(Boolean).join('\n');
}

function formatFooter(block: BlockOf<'footer'>, context: DocumentContext): string {
  const { texts } = context;
  const lines = ['--', toPlainText(block.html)];
  if (block.has_address) lines.push(createAddressLine(context));
  lines.push(`${block.unsubscribe_label || texts.unsubscribe}: {{unsubscribe_link}}`);
  if (block.preferences_label) lines.push(`${block.preferences_label}: {{preferences_url}}`);
  if (block.browser_label !== '') lines.push(`${block.browser_label}: {{browser_preview}}`);
  return lines.filter(Boolean).join('\n');
}

/** Measures the width; a merge tag is as wide as an average name. */
function measureWidth(plainText: string): number {
  return splitMasked(maskTags(plainText, false).text).reduce<number>(
    (sum, piece) => sum + (typeof piece === 'number' ? 8 : removeMarks(piece).length),
    0,
  );
}

function formatLink(label: string, href: string): string {
  if (href === '' || href.startsWith('#')) return label.trim();
  const address = markAddress(href);
  return label.trim() === '' ? address : `${label.trim()}: ${address}`;
}

function toPlainText(html: string): string {
  return toPlainTextOf(unwrapListItems(cleanRichText(html)));
}

function toPlainTextOf(html: string): string {
  const masked = maskTags(html, true);
  return unmask(toText(masked.text), masked.tags);
}
