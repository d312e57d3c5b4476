// Checks an email before it is sent. The findings are sorted by severity: errors, which prevent
// sending, then warnings, then tips.
import type { HtmlSummary } from '../html/html-summary.ts';
import { CART_TAG, isShopName } from '../../shop-names.ts';
import { TOKEN_LENGTH } from '#areas/tracking/server/index.ts';
import {
  ATTACHED_HEAVY_BYTES,
  CLIP_BYTES,
  MAX_CONTENT_BYTES,
  MAX_SUBJECT,
  PERSON_TAGS,
} from '../../shared.ts';
import type { EmailDocument } from '../../document.ts';
import { listDocumentFindings, locateFindings } from './document-findings.ts';
import { findForeignTags } from '../html/foreign-tags.ts';
import { measureHtmlDepth, MAX_DEPTH } from '../html/html-depth.ts';
import { unmask } from '../html/masked-source.ts';
import { isShallow } from '../html/shallow-html.ts';
import type { TagPart } from '../personalization/merge-tags.ts';
import { parseTemplate, findLineAndColumn } from '../personalization/merge-tags.ts';
import type {
  ContentPart,
  ContentFinding,
  FindingSeverity,
  MessageSource,
} from '../personalization/message-source.ts';
import { listPlaceholderFindings } from './placeholder-text.ts';
import { listFilledTags, instrumentHtml, type InstrumentedHtml } from '../html/instrument-html.ts';
import { instrumentText } from '../html/instrument-text.ts';
import { normalizeBreaks } from '../mime/encoded-body.ts';
import {
  MAX_FINDINGS,
  type MessagePart,
  startInstrumenting,
  TOKEN,
  type Instrumenting,
} from '../html/instrumenting.ts';

/**
 * @param names merge tags available in addition to the subscriber's columns; undefined means any
 * @param document source document of the HTML, if any; findings then refer to its blocks
 */
export function checkContent(
  source: MessageSource,
  names?: readonly string[],
  document?: EmailDocument,
): ContentFinding[] {
  const findings = checkSource(source, names);
  if (document === undefined) return findings;
  return sortFindings([
    ...locateFindings(document, findings),
    ...listDocumentFindings(document),
    ...listPlaceholderFindings(document),
  ]);
}

function checkSource(source: MessageSource, names?: readonly string[]): ContentFinding[] {
  const sizeFindings = checkSize(source);
  if (sizeFindings.length > 0) return sizeFindings;
  const instrumenting = startInstrumenting({ ...source, is_tracked: true });
  const instrumentedHtml = source.html?.trim()
    ? instrumentHtml(instrumenting, source.html)
    : undefined;
  const htmlSummary = instrumentedHtml?.summary;
  if (source.text !== null) instrumentText(instrumenting, source.text);
  const findings = [
    ...(instrumentedHtml ? checkDepth(source.html ?? '', instrumentedHtml) : []),
    ...instrumenting.findings,
    ...checkTags(source, names),
    ...findForeignTags(source, names),
    ...checkLines(source),
    ...(instrumentedHtml === undefined
      ? checkText(source)
      : checkHtml(source, instrumentedHtml, instrumenting)),
    ...checkAddresses(source, htmlSummary),
    ...checkAttachments(source),
  ];
  return sortFindings(findings);
}

const ORDER: FindingSeverity[] = ['error', 'warning', 'tip'];

export function sortFindings<T extends { severity: FindingSeverity }>(findings: readonly T[]): T[] {
  return ORDER.flatMap((severity) =>
    findings.filter((createFinding) => createFinding.severity === severity),
  );
}

function createFinding(
  code: string,
  severity: FindingSeverity,
  part: ContentPart,
  values: Record<string, string | number> = {},
): ContentFinding {
  return { code, severity, part, values };
}

/** Finds content above the size limit, which gets no further checks. */
export function checkSize(source: Pick<MessageSource, 'html' | 'text'>): ContentFinding[] {
  return (['html', 'text'] as const).flatMap((part) => {
    const bytes = Buffer.byteLength(source[part] ?? '');
    return bytes > MAX_CONTENT_BYTES ? [createFinding('too_large', 'error', part, { bytes })] : [];
  });
}

/**
 * Finds HTML nested deeper than MAX_DEPTH, which breaks mail clients and slows down parsers.
 * Measuring the depth with a parser takes about as long as compiling, so it is measured only before
 * content is frozen, and only if the tags do not prove that the nesting is shallow.
 */
export function checkDepth(html: string, { masked, tokens }: InstrumentedHtml): ContentFinding[] {
  if (isShallow(masked.text, tokens)) return [];
  const { tooDeepAt } = measureHtmlDepth(masked.text);
  if (tooDeepAt === undefined) return [];
  const position = findLineAndColumn(
    html,
    unmask(masked.text.slice(0, tooDeepAt), masked.tags).length,
  );
  return [
    { ...createFinding('nested_too_deep', 'error', 'html', { depth: MAX_DEPTH }), ...position },
  ];
}

/**
 * Finds unknown merge tags, filters with invalid arguments, and values that may be empty. Each name
 * is reported once per finding code.
 */
function checkTags(source: MessageSource, names: readonly string[] | undefined): ContentFinding[] {
  const knownNames = new Set<string>([...PERSON_TAGS, ...(names ?? [])]);
  const seenTags = new Set<string>();
  const findings: ContentFinding[] = [];
  for (const part of ['subject', 'preheader', 'html', 'text'] as const) {
    const text = source[part] ?? '';
    const tags = part === 'html' ? listFilledTags(text) : listTags(parseTemplate(text, false));
    for (const tag of tags) {
      if (tag.expression.systemTag !== undefined) continue;
      const tagIssue = checkTag(tag, names === undefined ? undefined : knownNames);
      const key = `${tagIssue?.code} ${tag.expression.name}`;
      if (tagIssue === undefined || seenTags.has(key)) continue;
      if (findings.length === MAX_FINDINGS) return findings;
      seenTags.add(key);
      const { name, misusedFilter } = tag.expression;
      const values = { tag: tag.source, name, ...(misusedFilter && { filter: misusedFilter }) };
      findings.push({ ...tagIssue, part, ...findLineAndColumn(text, tag.position), values });
    }
  }
  return findings;
}

const listTags = ({ parts }: { parts: readonly (string | TagPart)[] }) =>
  parts.filter((part) => typeof part !== 'string');

function checkTag(
  { expression }: TagPart,
  knownNames: ReadonlySet<string> | undefined,
): { code: string; severity: FindingSeverity } | undefined {
  if (expression.misusedFilter) return { code: 'tag_filter_arguments', severity: 'error' };
  if (expression.name === '') return undefined;
  if (isShopName(expression.name) || expression.name === CART_TAG) return undefined;
  if (knownNames !== undefined && !knownNames.has(expression.name)) {
    return { code: 'tag_unknown', severity: 'error' };
  }
  if (expression.hasFallback || expression.name === 'email') return undefined;
  return { code: 'tag_without_fallback', severity: 'warning' };
}

function checkLines(source: MessageSource): ContentFinding[] {
  const findings: ContentFinding[] = [];
  const length = [...source.subject].length;
  if (source.subject.trim() === '')
    findings.push(createFinding('subject_missing', 'error', 'subject'));
  else if (length > MAX_SUBJECT)
    findings.push(createFinding('subject_too_long', 'error', 'subject', { length }));
  else if (length > 70) findings.push(createFinding('subject_long', 'tip', 'subject', { length }));
  if (source.preheader.trim() === '')
    findings.push(createFinding('preheader_missing', 'tip', 'preheader'));
  if (source.from.email === '') findings.push(createFinding('sender_missing', 'error', 'sender'));
  return findings;
}

function checkText(source: MessageSource): ContentFinding[] {
  return source.text?.trim() ? [] : [createFinding('content_empty', 'error', 'text')];
}

function checkHtml(
  source: MessageSource,
  { summary, parts }: InstrumentedHtml,
  instrumenting: Instrumenting,
): ContentFinding[] {
  const findings: ContentFinding[] = [];
  const bytes = computeSize(parts);
  const { images, images_without_alt: without } = summary;
  const visibleWords = summary.readText().trim();
  if (visibleWords === '' && images === 0)
    findings.push(createFinding('content_empty', 'error', 'html'));
  if (bytes > CLIP_BYTES)
    findings.push(createFinding('size_clipped', 'warning', 'html', { bytes, limit: CLIP_BYTES }));
  if (without > 0)
    findings.push(createFinding('image_without_alt', 'warning', 'html', { count: without }));
  if (images > 0 && visibleWords.length < 60 * images) {
    findings.push(createFinding('images_mostly', 'tip', 'html', { count: images }));
  }
  if (source.kind === 'marketing' && !summary.has_unsubscribe) {
    findings.push(createFinding('unsubscribe_added', 'tip', 'html'));
  }
  if (instrumenting.links.length === 0) findings.push(createFinding('no_links', 'tip', 'html'));
  return findings;
}

/**
 * Returns the size of the HTML as sent, in bytes, computed as for the finding about clipped emails;
 * 0 without HTML.
 */
export function computeSentSize(source: MessageSource): number {
  if (!source.html?.trim()) return 0;
  const instrumenting = startInstrumenting({ ...source, is_tracked: true });
  return computeSize(instrumentHtml(instrumenting, source.html).parts);
}

/**
 * Reports attachments. Every copy contains them in base64, which is a third larger. Spam filters
 * treat such an email more strictly, and relays are slower.
 */
function checkAttachments({ files = [], html }: MessageSource): ContentFinding[] {
  if (files.length === 0) return [];
  const size = files.reduce((total, { bytes }) => total + bytes, 0);
  const values = { count: files.length, bytes: Math.ceil(size / 3) * 4 };
  const part = html === null ? 'text' : 'html';
  return size > ATTACHED_HEAVY_BYTES
    ? [createFinding('attachments_heavy', 'warning', part, values)]
    : [createFinding('attachments_carried', 'tip', part, values)];
}

/**
 * Returns the size of the HTML as sent, with tracked links, footer and pixel but without recipient
 * values.
 */
function computeSize(parts: readonly MessagePart[]): number {
  return parts.reduce((total, part) => {
    if (typeof part === 'string')
      // Every line break is sent as two bytes.
      return total + Buffer.byteLength(normalizeBreaks(part));
    return part === TOKEN ? total + TOKEN_LENGTH : total;
  }, 0);
}

function checkAddresses(
  source: MessageSource,
  htmlSummary: HtmlSummary | undefined,
): ContentFinding[] {
  if (source.kind !== 'marketing') return [];
  if (source.postal_address.trim() === '') {
    return [createFinding('postal_address_missing', 'error', 'sender')];
  }
  if (htmlSummary === undefined || htmlSummary.has_postal_address) return [];
  return [createFinding('postal_address_added', 'tip', 'html')];
}
