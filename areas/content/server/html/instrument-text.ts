// Instruments plain text that the author wrote or that is derived from the HTML: URLs become
// tracked links, and a missing footer is added.
import { listConditionalRanges } from '../personalization/conditions.ts';
import { MAX_DEPTH } from './html-depth.ts';
import { findHiddenElements, VOID } from './hidden-elements.ts';
import { MARKED_ADDRESS, TABLES, createTextReader } from './html-to-text.ts';
import { decodeEntities } from './character-references.ts';
import {
  stripOwnLinkSchemes,
  encodeForAddress,
  hasFixedHost,
  maskTags,
  PLACEHOLDER_PATTERN,
  splitMasked,
  unmask,
} from './masked-source.ts';
import type { TagPart } from '../personalization/merge-tags.ts';
import {
  addFinding,
  addTagErrors,
  toMaskedParts,
  type MessagePart,
  TOKEN,
  createSentLink,
  type Instrumenting,
} from './instrumenting.ts';
import type { InstrumentedHtml } from './instrument-html.ts';

const asIs = (text: string) => text;
/**
 * Characters that end a URL: non-ASCII quotation marks that are not also used as apostrophes, and
 * brackets and punctuation of scripts written without spaces.
 */
const QUOTES = '“”„‟«»‹›‚‛「」『』《》〈〉【】（），。、；：！？';
/** A marked URL, or a URL typed as text. */
const ADDRESS = new RegExp(
  `${MARKED_ADDRESS}|https?://(?:[^\\s<>"${QUOTES}\\u0600-\\u061f]|${PLACEHOLDER_PATTERN})+`,
  'gi',
);
const TRAILING = new Set('.,;:!?)]}\'"*_‘’`´…–—·|\\');

const derive = createTextReader({ maxInputLength: 4 * 1024 * 1024, maxDepth: 200 }, TABLES);

const createNameSet = (names: string) => new Set(names.split(' '));
/** Open elements that a tag closes implicitly in htmlparser2, which are fewer than in browsers. */
const IMPLICITLY_CLOSED = new Map<string, ReadonlySet<string>>([
  ['tr', createNameSet('tr th td')],
  ['td', createNameSet('thead th td')],
  ['th', createNameSet('th')],
  ['tbody', createNameSet('thead tbody')],
  ['tfoot', createNameSet('thead tbody')],
  ['li', createNameSet('li')],
  ['dd', createNameSet('dd dt')],
  ['dt', createNameSet('dd dt')],
  ['option', createNameSet('option')],
  ...['p', 'h1', 'h2', 'h3', 'h4', 'h5', 'h6', 'div', 'table', 'ul', 'ol', 'blockquote'].map(
    (name) => [name, createNameSet('p')] as const,
  ),
  ...['html', 'head', 'body', 'thead'].map((name) => [name, new Set<string>()] as const),
]);
/**
 * Maximum open elements: extracting text is quadratic in their number. No accepted email comes
 * close.
 */
const MAX_OPEN = 5000;

/** Instruments the text part written by the author. */
export function instrumentText(instrumenting: Instrumenting, text: string): MessagePart[] {
  const masked = maskTags(text, false);
  addTagErrors(instrumenting, 'text', text, masked.errors);
  const body = stripOwnLinkSchemes(masked.text, masked.tags).replace(/\r\n?/g, '\n').trimEnd();
  const unconditional = removeConditional(instrumenting, body);
  const names = listSystemTags(unconditional, masked.tags);
  const unsubscribes = names.has('unsubscribe_link');
  const hasAddress = names.has('postal_address') || includesStreet(instrumenting, unconditional);
  return [
    ...createLinkedParts(instrumenting, body, masked.tags),
    ...createFooter(instrumenting, {
      has_unsubscribe: unsubscribes,
      has_postal_address: hasAddress,
    }),
  ];
}

/** Derives the text part from the HTML and instruments it. */
export function deriveText(instrumenting: Instrumenting, html: InstrumentedHtml): MessagePart[] {
  const position = findTooManyOpen(html);
  if (position !== undefined) {
    const findSourcePosition = () =>
      unmask(html.masked.text.slice(0, position), html.masked.tags).length;
    const values = { depth: MAX_DEPTH };
    addFinding(
      instrumenting,
      'nested_too_deep',
      'html',
      instrumenting.source.html ?? '',
      findSourcePosition,
      values,
    );
    return [];
  }
  const { tags } = html.masked;
  const text = stripOwnLinkSchemes(derive(removeHidden(html)), tags);
  const names = listSystemTags(text, tags);
  // An unsubscribe link in hidden content does not count here.
  const has_unsubscribe = html.summary.has_unsubscribe && names.has('unsubscribe_link');
  return [
    ...createLinkedParts(instrumenting, text, tags),
    ...createFooter(instrumenting, { ...html.summary, has_unsubscribe }),
  ];
}

function listSystemTags(text: string, tags: readonly TagPart[]): Set<string | undefined> {
  return new Set(
    splitMasked(text).map((piece) =>
      typeof piece === 'number' ? tags[piece]?.expression.systemTag : undefined,
    ),
  );
}

/** Removes hidden elements, such as preheaders and content for phones only. */
function removeHidden({ masked, tokens }: InstrumentedHtml): string {
  const { text } = masked;
  let visible = '';
  let copiedTo = 0;
  for (const { start, end } of findHiddenElements(text, tokens)) {
    visible += text.slice(copiedTo, start);
    copiedTo = end;
  }
  return visible + text.slice(copiedTo);
}

/** Returns the position in the masked text where too many elements are open, if any. */
function findTooManyOpen({ masked, tokens }: InstrumentedHtml): number | undefined {
  const openTags: string[] = [];
  const openCounts = new Map<string, number>();
  const end = () => {
    const name = openTags.pop() as string;
    openCounts.set(name, (openCounts.get(name) as number) - 1);
    return name;
  };
  for (const token of tokens) {
    const { name } = token as { name: string };
    if (token.type === 'close' && (openCounts.get(name) ?? 0) > 0) while (end() !== name);
    if (token.type !== 'open' || VOID.has(name)) continue;
    const impliedEnds = IMPLICITLY_CLOSED.get(name);
    if (!impliedEnds && masked.text.startsWith('/>', token.end - 2)) continue;
    while (impliedEnds?.has(openTags.at(-1) ?? '')) end();
    openTags.push(name);
    openCounts.set(name, (openCounts.get(name) ?? 0) + 1);
    if (openTags.length > MAX_OPEN) return token.start;
  }
  return undefined;
}

/** Removes conditional content, which not all recipients get. */
function removeConditional({ source }: Instrumenting, text: string): string {
  if (!source.conditions?.length) return text;
  return listConditionalRanges(text).reduceRight(
    (remainder, { start, end }) => remainder.slice(0, start) + remainder.slice(end),
    text,
  );
}

function includesStreet(instrumenting: Instrumenting, text: string): boolean {
  const street = instrumenting.source.street.replace(/\s+/g, ' ').trim().toLowerCase();
  return street !== '' && text.replace(/\s+/g, ' ').toLowerCase().includes(street);
}

/**
 * Splits the text into parts. URLs become tracked links where `createSentLink` allows it; in other
 * URLs with a fixed host, recipient values are percent-encoded.
 */
function createLinkedParts(
  instrumenting: Instrumenting,
  text: string,
  tags: readonly TagPart[],
): MessagePart[] {
  const parts: MessagePart[] = [];
  let copiedTo = 0;
  for (const match of text.matchAll(ADDRESS)) {
    const markedUrl = match[1];
    const address = markedUrl ?? trimPunctuation(match[0]);
    const linkContext = { label: unmask(address, tags), decode: decodeEntities, escape: asIs };
    const isFixed = hasFixedHost(address);
    const link =
      createSentLink(instrumenting, address, tags, linkContext) ??
      (isFixed || markedUrl !== undefined
        ? toMaskedParts(instrumenting, address, tags, isFixed ? encodeForAddress : asIs)
        : undefined);
    if (link === undefined) continue;
    parts.push(
      ...toMaskedParts(instrumenting, text.slice(copiedTo, match.index), tags, asIs),
      ...link,
    );
    copiedTo = match.index + (markedUrl === undefined ? address : match[0]).length;
  }
  parts.push(...toMaskedParts(instrumenting, text.slice(copiedTo), tags, asIs));
  return parts;
}

/**
 * Removes trailing punctuation, which belongs to the sentence. A closing bracket that was opened
 * inside the URL belongs to the URL.
 */
function trimPunctuation(address: string): string {
  let end = address.length;
  // Searches from the end, because a regular expression from the start takes quadratic time for
  // URLs with many punctuation marks.
  while (end > 0 && TRAILING.has(address.charAt(end - 1))) end--;
  const trimmed = address.slice(0, end);
  return address[end] === ')' && trimmed.includes('(') ? `${trimmed})` : trimmed;
}

function createFooter(
  instrumenting: Instrumenting,
  presence: { has_unsubscribe: boolean; has_postal_address: boolean },
): MessagePart[] {
  const { source } = instrumenting;
  if (source.kind !== 'marketing' || (presence.has_unsubscribe && presence.has_postal_address))
    return [];
  const parts: MessagePart[] = ['\n\n--\n'];
  if (!presence.has_unsubscribe) parts.push(`${source.words.reason}\n`);
  if (!presence.has_postal_address) {
    const sender = [source.company, source.postal_address].filter((line) => line.trim() !== '');
    parts.push(`${sender.join(', ')}\n`);
  }
  if (!presence.has_unsubscribe) {
    parts.push(`${source.words.unsubscribe}: ${source.public_url}/u/`, TOKEN);
  }
  return parts;
}
