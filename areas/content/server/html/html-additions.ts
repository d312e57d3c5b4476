// Adds the preheader and the note of a test email to the start of an HTML body. Adds the footer of
// a marketing email and the pixel that records opens to its end.
import type { HtmlSummary } from './html-summary.ts';
import type { HtmlCut } from './html-parts.ts';
import { escapeHtml } from './character-references.ts';
import type { HtmlToken } from '../../html-scanner.ts';
import { type Instrumenting, isConstantLine, type MessagePart, TOKEN } from './instrumenting.ts';
import type { MaskedSource } from './masked-source.ts';

export function createAdditions(
  instrumenting: Instrumenting,
  masked: MaskedSource,
  tokens: readonly HtmlToken[],
  htmlSummary: HtmlSummary,
): HtmlCut[] {
  const { source } = instrumenting;
  const start = findBodyStart(masked, tokens);
  const end = findBodyEnd(masked, tokens);
  const cuts: HtmlCut[] = [];
  if (source.preheader.trim() !== '') {
    cuts.push({ start, end: start, parts: createPreheaderParts(instrumenting) });
  }
  if (source.note) cuts.push({ start, end: start, parts: [createNoteBox(source.note)] });
  const closing: MessagePart[] = [];
  if (source.kind === 'marketing') closing.push(...createFooterParts(instrumenting, htmlSummary));
  if (source.is_tracked && source.measures_opens !== false) {
    closing.push(
      `<img src="${escapeHtml(source.public_url)}/t/o/`,
      TOKEN,
      '.gif" width="1" height="1" alt="" style="display:block;width:1px;height:1px;border:0">',
    );
  }
  if (closing.length > 0) cuts.push({ start: end, end, parts: closing });
  return cuts;
}

/**
 * Returns the start of the body as browsers parse it. If the opening tag is alone in a conditional
 * comment, returns the position after that comment, so that all clients see the additions.
 */
function findBodyStart(masked: MaskedSource, tokens: readonly HtmlToken[]): number {
  const index = findStart(masked, tokens);
  let end = tokens[index]?.end ?? 0;
  if (tokens[index]?.readers !== 'others') return end;
  for (let position = index + 1; position < tokens.length; position++) {
    const { type, readers, start, end: next } = tokens[position] as HtmlToken;
    const isBlank = type === 'text' && masked.text.slice(start, next).trim() === '';
    if (type !== 'comment' && !isBlank) break;
    if (type === 'comment' && readers === 'all') {
      end = next;
      break;
    }
  }
  return end;
}

function findStart(masked: MaskedSource, tokens: readonly HtmlToken[]): number {
  const find = (type: 'open' | 'close', name: string) =>
    tokens.findIndex(
      (token) => token.type === type && token.name === name && token.readers !== 'outlook',
    );
  for (const index of [find('open', 'body'), find('close', 'head'), find('open', 'html')]) {
    if (index !== -1) return index;
  }
  return tokens.findIndex(
    ({ type, start }) =>
      type === 'comment' && /^<!doctype/i.test(masked.text.slice(start, start + 9)),
  );
}

/**
 * Returns the position before the last `</body>` that browsers see, or else before the last
 * `</html>`. If the tag is the first content of a conditional comment, returns the position before
 * that comment. Without either tag, returns the end of the text.
 */
function findBodyEnd(masked: MaskedSource, tokens: readonly HtmlToken[]): number {
  for (const name of ['body', 'html']) {
    const index = tokens.findLastIndex(
      (token) => token.type === 'close' && token.name === name && token.readers !== 'outlook',
    );
    const closing = tokens[index];
    if (!closing) continue;
    if (closing.readers === 'all') return closing.start;
    for (let position = index - 1; position >= 0; position--) {
      const { type, readers, start, end } = tokens[position] as HtmlToken;
      if (type === 'comment' && readers === 'all') return start;
      if (type !== 'text' || masked.text.slice(start, end).trim() !== '') break;
    }
    return closing.start;
  }
  return masked.text.length;
}

/**
 * Fills the rest of the preview line. Clients do not collapse figure spaces, and the joiners
 * prevent trimming. At a font size of 14 px, the filler is over 1,200 px wide: wider than the
 * preview line of any inbox.
 */
const FILLER = '&#8199;&#847;'.repeat(160);

/**
 * Creates the preview text that inboxes show after the subject. The filler keeps body text out of
 * it.
 */
function createPreheaderParts(instrumenting: Instrumenting): MessagePart[] {
  const { source, preheader } = instrumenting;
  const text: MessagePart = isConstantLine(source.preheader)
    ? escapeHtml(preheader.render({}, { now: new Date(0), locale: 'en' }))
    : { render: (values, moment) => escapeHtml(preheader.render(values, moment)) };
  const style =
    'display:none;font-size:1px;line-height:1px;max-height:0;max-width:0;opacity:0;overflow:hidden;mso-hide:all';
  return [`<div style="${style}">`, text, `${FILLER}</div>`];
}

/**
 * Creates the box for the note. It is placed after the preheader, so that inboxes do not show the
 * note as preview text.
 */
function createNoteBox(noteText: string): string {
  const style =
    'margin:0 auto;padding:12px 16px;max-width:600px;font-family:Arial,Helvetica,sans-serif;font-size:14px;line-height:20px;background:#fff8e1;color:#3d3520;border:1px solid #e6d9a8';
  return `<div dir="auto" style="${style}">${escapeHtml(noteText).replaceAll('\n', '<br>')}</div>`;
}

/** Creates a footer with the parts that the HTML lacks: unsubscribe link, postal address. */
function createFooterParts(instrumenting: Instrumenting, htmlSummary: HtmlSummary): MessagePart[] {
  const { source } = instrumenting;
  if (htmlSummary.has_unsubscribe && htmlSummary.has_postal_address) return [];
  const direction = source.language === 'fas' ? 'rtl' : 'ltr';
  const style =
    'margin:0 auto;padding:24px 16px;max-width:600px;font-family:Arial,Helvetica,sans-serif;font-size:12px;line-height:18px;background:#ffffff;color:#5b606b;text-align:center';
  const parts: MessagePart[] = [`<div dir="${direction}" style="${style}">`];
  if (!htmlSummary.has_unsubscribe) parts.push(`${escapeHtml(source.words.reason)}<br>`);
  if (!htmlSummary.has_postal_address) {
    const sender = [source.company, source.postal_address].filter((line) => line.trim() !== '');
    parts.push(`${sender.map((line) => escapeHtml(line)).join(', ')}<br>`);
  }
  if (!htmlSummary.has_unsubscribe) {
    parts.push(
      `<a href="${escapeHtml(source.public_url)}/u/`,
      TOKEN,
      `" style="color:#5b606b;text-decoration:underline">${escapeHtml(source.words.unsubscribe)}</a>`,
    );
  }
  return [...parts, '</div>'];
}
