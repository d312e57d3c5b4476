// The plain text of a message: as its author wrote it, or derived from the HTML with the same
// merge tags in the same places; addresses become tracked links, the footer is added if missing.
import { conditionalRanges } from './conditions.ts';
import { MAX_DEPTH } from './html-depth.ts';
import { wordsReader } from './html-to-words.ts';
import { decodeEntities } from './html-scanner.ts';
import {
  encodeForAddress,
  hasFixedHost,
  maskTags,
  PLACEHOLDER_PATTERN,
  splitMasked,
  unmask,
} from './masked-source.ts';
import type { TagPart } from './merge-tags.ts';
import {
  addFinding,
  addTagErrors,
  maskedParts,
  type Part,
  TOKEN,
  sentLink,
  type Weaving,
} from './weaving.ts';
import type { WovenHtml } from './weave-html.ts';

const asIs = (text: string) => text;
const ADDRESS = new RegExp(`https?://(?:[^\\s<>"'\\u0600-\\u061f]|${PLACEHOLDER_PATTERN})+`, 'gi');
const TRAILING = new Set('.,;:!?)]}»”\'"*_');

/** The address behind a link with the next words right after it: they would become part of it. */
const TOUCHING = /(\(https?:\/\/[^\s()]+(?:\([^\s()]*\)[^\s()]*)*\))(?=[\p{L}\p{N}(])/gu;

const derive = wordsReader({ maxInputLength: 4 * 1024 * 1024, maxDepth: 200 }, [
  { selector: 'table', format: 'block' },
]);

/** Of what ends by itself or has no content: however much, it does not nest. */
const FLAT = new Set(
  'area base body br col dd dt head hr html img input li link meta option p param source tbody td tfoot th thead tr wbr'.split(
    ' ',
  ),
);
/** Tags that wait for their ends: reading words takes the square of them. Far more than a mail that was accepted has. */
const MOST_OPEN = 5000;

/** The text part that the author wrote. */
export function weaveText(weaving: Weaving, text: string): Part[] {
  const masked = maskTags(text, false);
  addTagErrors(weaving, 'text', text, masked.errors);
  const body = masked.text.replace(/\r\n?/g, '\n').trimEnd();
  const everybodys = forEverybody(weaving, body);
  const names = new Set(
    splitMasked(everybodys).map((piece) =>
      typeof piece === 'number' ? masked.tags[piece]?.expression.system : undefined,
    ),
  );
  const unsubscribes = names.has('unsubscribe_link');
  const addressed = names.has('postal_address') || includesStreet(weaving, everybodys);
  return [
    ...linkedParts(weaving, body, masked.tags),
    ...footer(weaving, { has_unsubscribe: unsubscribes, has_postal_address: addressed }),
  ];
}

/** The text part of a mail that has only HTML. */
export function deriveText(weaving: Weaving, html: WovenHtml): Part[] {
  const at = tooManyOpen(html);
  if (at !== undefined) {
    const written = () => unmask(html.masked.text.slice(0, at), html.masked.tags).length;
    const values = { depth: MAX_DEPTH };
    addFinding(weaving, 'nested_too_deep', 'html', weaving.source.html ?? '', written, values);
    return [];
  }
  const text = derive(html.masked.text)
    .replace(/\u00a0/g, ' ')
    .replace(/\n{3,}/g, '\n\n')
    .replace(TOUCHING, '$1 ')
    .trim();
  return [...linkedParts(weaving, text, html.masked.tags), ...footer(weaving, html.facts)];
}

/** Where, in the masked text. */
function tooManyOpen({ masked, tokens }: WovenHtml): number | undefined {
  let open = 0;
  for (const token of tokens) {
    if (token.type === 'close' && !FLAT.has(token.name)) open = Math.max(0, open - 1);
    if (token.type !== 'open' || FLAT.has(token.name)) continue;
    if (masked.text.startsWith('/>', token.end - 2)) continue;
    if (++open > MOST_OPEN) return token.start;
  }
  return undefined;
}

/** Without what only some people see. */
function forEverybody({ source }: Weaving, text: string): string {
  if (!source.conditions?.length) return text;
  return conditionalRanges(text).reduceRight(
    (rest, { start, end }) => rest.slice(0, start) + rest.slice(end),
    text,
  );
}

function includesStreet(weaving: Weaving, text: string): boolean {
  const street = weaving.source.street.replace(/\s+/g, ' ').trim().toLowerCase();
  return street !== '' && text.replace(/\s+/g, ' ').toLowerCase().includes(street);
}

/** Literal text, merge tags, and in place of addresses tracked links, or what leads there with any value. */
function linkedParts(weaving: Weaving, text: string, tags: readonly TagPart[]): Part[] {
  const parts: Part[] = [];
  let done = 0;
  for (const match of text.matchAll(ADDRESS)) {
    const address = withoutTrailing(match[0]);
    const place = { label: unmask(address, tags), decode: decodeEntities, escape: asIs };
    const link =
      sentLink(weaving, address, tags, place) ??
      (hasFixedHost(address) ? maskedParts(weaving, address, tags, encodeForAddress) : undefined);
    if (link === undefined) continue;
    parts.push(...maskedParts(weaving, text.slice(done, match.index), tags, asIs), ...link);
    done = match.index + address.length;
  }
  parts.push(...maskedParts(weaving, text.slice(done), tags, asIs));
  return parts;
}

/** Punctuation after an address is the sentence's; a bracket that the address opened is its own. */
function withoutTrailing(address: string): string {
  let end = address.length;
  // From the end: a search from the start begins anew at each mark of an address that is full of them.
  while (end > 0 && TRAILING.has(address.charAt(end - 1))) end--;
  const bare = address.slice(0, end);
  return address[end] === ')' && bare.includes('(') ? `${bare})` : bare;
}

function footer(
  weaving: Weaving,
  has: { has_unsubscribe: boolean; has_postal_address: boolean },
): Part[] {
  const { source } = weaving;
  if (source.kind !== 'marketing' || (has.has_unsubscribe && has.has_postal_address)) return [];
  const parts: Part[] = ['\n\n--\n'];
  if (!has.has_unsubscribe) parts.push(`${source.words.reason}\n`);
  if (!has.has_postal_address) {
    const sender = [source.company, source.postal_address].filter((line) => line.trim() !== '');
    parts.push(`${sender.join(', ')}\n`);
  }
  if (!has.has_unsubscribe) {
    parts.push(`${source.words.unsubscribe}: ${source.public_url}/u/`, TOKEN);
  }
  return parts;
}
