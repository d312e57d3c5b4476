// Extracts the text of custom HTML for a language model and writes the model's responses back. Only
// text and the values of alt, title and aria-label change; tags, comments and merge tags remain as
// they are in the source. Inline elements become markers, as in [[1]]bold[[/1]] and [[2]] for an
// image or a line break.
import { MAX_TEXT_LENGTH } from '#areas/models/shared.ts';
import { MERGE_TAG } from '#platform/web/editing/rich/tags.ts';
import { type HtmlAttribute, type HtmlToken, scanHtml } from '../../html-scanner.ts';

const INLINE = new Set(
  'a abbr acronym b bdi bdo big cite code data del dfn em font i ins kbd label mark q s samp small span strike strong sub sup time tt u var'.split(
    ' ',
  ),
);
/** Elements without content that can be part of a sentence. */
const VOID = new Set(['br', 'img', 'wbr']);
const NEVER_CLOSED = new Set([
  ...VOID,
  'area',
  'base',
  'col',
  'embed',
  'hr',
  'input',
  'link',
  'meta',
]);
const ATTRIBUTES = new Set(['alt', 'title', 'aria-label']);
const FOREIGN_ELEMENTS = new Set(['svg', 'math']);
const MARKER = /\[\[(\/?)(\d{1,3})\]\]/g;
const MAX_MARKERS = 300;
/** White space, including characters that pad the preview text of an inbox. */
const PADDING =
  '(?:[\\s\\u00ad\\u034f\\u200b-\\u200f\\u2060\\ufeff]|&(?:nbsp|shy|zwnj|zwj|#160|#173|#847|#820[3-7]|#8288|#65279|#x(?:a0|ad|34f|200[b-f]|2060|feff));)';
const PADDING_BEFORE = new RegExp(`^${PADDING}+`, 'i');
const ANY_PADDING = new RegExp(PADDING, 'gi');
const LETTER = /\p{L}/u;
const LETTER_OR_NUMBER = /[\p{L}\p{N}]/u;
/**
 * Matches braces that form no complete merge tag, and text that the check of responses would remove
 * as markup.
 */
const UNSAFE = /\{[{%$]|<[^<>]*>/;

/** Measures the padding at the end of a text. */
function measurePaddingAfter(text: string): number {
  let [from, to] = [0, 0];
  for (const { 0: space, index } of text.matchAll(ANY_PADDING)) {
    if (index !== to) from = index;
    to = index + space.length;
  }
  return to === text.length ? to - from : 0;
}

type TextSpan = { start: number; end: number };
type TextPiece = TextSpan & { type: 'text' };
type TagPiece = TextSpan & { type: 'tag'; kind: 'open' | 'close' | 'void'; name: string };
type HtmlPiece = TextPiece | TagPiece;

/** A text and its position: adjacent pieces, or the value of an attribute. */
type TextSlot = { text: string; tags: string[] } & (
  | { kind: 'run'; pieces: HtmlPiece[]; marks: TextSpan[][]; span: TextSpan }
  | { kind: 'attribute'; span: TextSpan }
);

/** Extracts each distinct text once, in order of appearance. */
export function extractHtmlTexts(source: string): string[] {
  return [...new Set(findSlots(source).map(({ text }) => text))];
}

/**
 * Returns the source with the replaced text; a response that does not fit (`fitsHtml`) is ignored.
 */
export function replaceHtmlTexts(source: string, next: ReadonlyMap<string, string>): string {
  const slots = findSlots(source).flatMap((slot) => {
    const text = next.get(slot.text);
    return text === undefined || !fitsHtml(slot.text, text) ? [] : [{ place: slot, text }];
  });
  const values = slots
    .filter(({ place }) => place.kind === 'attribute')
    .map(({ place, text }) => ({ ...place.span, replacement: createValue(source, place, text) }));
  const raw = (span: TextSpan) => applyEdits(source, span, values);
  const inRuns = slots.flatMap(({ place, text }) =>
    place.kind === 'run' ? [{ ...place.span, replacement: addMarkup(place, text, raw) }] : [],
  );
  const outside = values.filter(
    ({ start }) => !inRuns.some((run) => run.start <= start && start < run.end),
  );
  const edits = [...inRuns, ...outside].sort((a, b) => a.start - b.start);
  return applyEdits(source, { start: 0, end: source.length }, edits);
}

type TextEdit = TextSpan & { replacement: string };

/** Applies edits, sorted by position, to a part of the source. */
function applyEdits(source: string, { start, end }: TextSpan, edits: readonly TextEdit[]): string {
  let result = '';
  let position = start;
  for (const edit of edits) {
    if (edit.start < position || edit.end > end) continue;
    result += source.slice(position, edit.start) + edit.replacement;
    position = edit.end;
  }
  return result + source.slice(position, end);
}

/**
 * Returns whether a response has the same merge tags as the text that was sent, and the same
 * markers, each inside the same marked element.
 */
export function fitsHtml(text: string, reply: string): boolean {
  const shape = describeShape(text);
  return shape !== undefined && shape === describeShape(reply);
}

/**
 * Describes the markers, the marked elements with text, and the merge tags of a text as a string
 * for comparison. Returns undefined if markers are repeated or not properly nested, or if the text
 * contains markup or an incomplete merge tag.
 */
function describeShape(text: string): string | undefined {
  const markers = [...text.matchAll(MARKER)];
  const closedNumbers = new Set(
    markers.filter(([, slash]) => slash === '/').map(([, , digits]) => digits),
  );
  const openNumbers: string[] = [''];
  const filledNumbers = new Set<string>();
  const elements: string[] = [];
  let position = 0;
  const markFilled = (end: number) => {
    if (text.slice(position, end).trim() !== '')
      for (const number of openNumbers) filledNumbers.add(number);
  };
  for (const { 0: whole, 1: slash, 2: number = '', index } of markers) {
    markFilled(index);
    position = index + whole.length;
    if (slash === '/') {
      if (openNumbers.pop() !== number || number === '') return undefined;
    } else {
      elements.push(`${number} in ${openNumbers.at(-1)}`);
      if (closedNumbers.has(number)) openNumbers.push(number);
    }
  }
  markFilled(text.length);
  if (openNumbers.length > 1 || new Set(elements).size < elements.length) return undefined;
  if (UNSAFE.test(text.replace(MERGE_TAG, ''))) return undefined;
  return JSON.stringify([elements.sort(), [...filledNumbers].sort(), listTags(text).sort()]);
}

const listTags = (text: string) => (text.match(MERGE_TAG) ?? []).map(toTagKey);
const toTagKey = (tag: string) => tag.replace(/\s+/g, '');

function findSlots(source: string): TextSlot[] {
  // Merge tags are masked without changing positions, so that the scanner ignores their quotes and
  // brackets.
  const masked = source.replace(MERGE_TAG, (tag) => '\ufdd0'.repeat(tag.length));
  const slots: TextSlot[] = [];
  let pieces: HtmlPiece[] = [];
  const close = () => {
    for (const run of splitRuns(source, pieces)) slots.push(run);
    pieces = [];
  };
  for (const token of translatable(masked)) {
    if (token.type === 'open') slots.push(...findAttributeSlots(source, token));
    const piece = toPiece(token);
    const lastContent = pieces.findLast(
      (candidate) => candidate.type === 'tag' || hasContent(source, candidate),
    );
    // Two line breaks separate paragraphs.
    const isParagraph = isBreak(piece) && lastContent !== undefined && isBreak(lastContent);
    if (piece && !isParagraph) pieces.push(piece);
    else close();
  }
  close();
  return slots;
}

const isBreak = (piece: HtmlPiece | undefined) => piece?.type === 'tag' && piece.name === 'br';

function toPiece(token: HtmlToken): HtmlPiece | undefined {
  const { type, start, end } = token;
  if (type === 'text') return { type, start, end };
  if (type !== 'open' && type !== 'close') return undefined;
  const { name } = token;
  if (VOID.has(name)) return { type: 'tag', kind: 'void', name, start, end };
  return INLINE.has(name) ? { type: 'tag', kind: type, name, start, end } : undefined;
}

/** Yields the tokens; an element that must not be translated becomes a comment. */
function* translatable(masked: string): Generator<HtmlToken> {
  let skipped: { name: string; depth: number } | undefined;
  for (const token of scanHtml(masked)) {
    if (!skipped) {
      if (token.type === 'open' && isUntranslatable(masked, token))
        skipped = { name: token.name, depth: 1 };
      else yield token;
      if (!skipped) continue;
      yield { type: 'comment', start: token.start, end: token.end, readers: 'all' };
    } else if ('name' in token && token.name === skipped.name) {
      skipped.depth += token.type === 'open' ? 1 : -1;
      if (skipped.depth === 0) skipped = undefined;
    }
  }
}

type OpeningToken = HtmlToken & { type: 'open' };

function isUntranslatable(masked: string, { name, attributes }: OpeningToken): boolean {
  if (NEVER_CLOSED.has(name)) return false;
  const matchesAttribute = (attribute: string, value: RegExp) =>
    attributes.some(
      ({ name: own, start, end }) => own === attribute && value.test(masked.slice(start, end)),
    );
  return (
    FOREIGN_ELEMENTS.has(name) ||
    matchesAttribute('translate', /^no$/i) ||
    matchesAttribute('class', /(?:^|\s)notranslate(?:\s|$)/)
  );
}

function findAttributeSlots(source: string, { attributes }: OpeningToken): TextSlot[] {
  return attributes.flatMap(({ name, start, end }: HtmlAttribute) => {
    if (!ATTRIBUTES.has(name)) return [];
    const { text, tags } = readText(source.slice(start, end), decodeAttribute);
    const slot = { kind: 'attribute' as const, text: text.trim(), tags, span: { start, end } };
    return isWhole(slot) && slot.text.length > 0 ? [slot] : [];
  });
}

/** Splits the pieces into runs of text and whole inline elements. An unpaired tag ends a run. */
function splitRuns(source: string, pieces: readonly HtmlPiece[]): TextSlot[] {
  const partners = pairTags(pieces);
  const lone = pieces.findIndex((piece, at) => isElement(piece) && !partners.has(at));
  if (lone >= 0)
    return [
      ...splitRuns(source, pieces.slice(0, lone)),
      ...splitRuns(source, pieces.slice(lone + 1)),
    ];
  const [from, until] = trimRun(source, pieces, partners);
  const runPieces = pieces.slice(from, until);
  return runPieces.length === 0 ? [] : createRun(source, runPieces);
}

const isElement = (piece: HtmlPiece): piece is TagPiece =>
  piece.type === 'tag' && piece.kind !== 'void';

/** Maps the position of each tag of an element to the position of its other tag. */
function pairTags(pieces: readonly HtmlPiece[]): Map<number, number> {
  const partners = new Map<number, number>();
  const openNumbers: number[] = [];
  for (const [at, piece] of pieces.entries()) {
    if (!isElement(piece)) continue;
    if (piece.kind === 'open') openNumbers.push(at);
    else {
      const lastOpen = openNumbers.at(-1);
      if (lastOpen === undefined || (pieces[lastOpen] as TagPiece).name !== piece.name) continue;
      openNumbers.pop();
      partners.set(lastOpen, at).set(at, lastOpen);
    }
  }
  return partners;
}

/**
 * Returns the range of the run without elements that enclose all of it, and without elements at its
 * ends that have no text.
 */
function trimRun(
  source: string,
  pieces: readonly HtmlPiece[],
  partners: ReadonlyMap<number, number>,
): [number, number] {
  let [from, until] = [0, pieces.length];
  const isBlank = (start: number, end: number) =>
    !pieces.slice(start, end).some((piece) => piece.type === 'text' && hasContent(source, piece));
  while (from < until) {
    const lastIndex = until - 1;
    const firstPartner = partners.get(from) ?? from;
    const start = partners.get(lastIndex) ?? lastIndex;
    if (isBlank(from, firstPartner + 1)) from = firstPartner + 1;
    else if (isBlank(start, until)) until = start;
    else if (firstPartner === lastIndex && firstPartner > from)
      [from, until] = [from + 1, lastIndex];
    else break;
  }
  return [from, until];
}

const hasContent = (source: string, { start, end }: TextSpan) =>
  LETTER_OR_NUMBER.test(source.slice(start, end).replace(MERGE_TAG, 'x').replace(ANY_PADDING, ''));

function createRun(source: string, pieces: HtmlPiece[]): TextSlot[] {
  const span = trimPadding(source, pieces);
  const marks: TextSpan[][] = [];
  const openNumbers: number[] = [];
  const tags: string[] = [];
  let text = '';
  for (const piece of pieces) {
    if (piece.type === 'text') {
      const { start, end } = piece;
      const parsed = readText(
        source.slice(Math.max(start, span.start), Math.min(end, span.end)),
        decodeText,
      );
      text += parsed.text;
      tags.push(...parsed.tags);
    } else if (piece.kind === 'close') {
      const number = openNumbers.pop() ?? 0;
      marks[number - 1]?.push(piece);
      text += `[[/${number}]]`;
    } else {
      const number = marks.push([piece]);
      if (piece.kind === 'open') openNumbers.push(number);
      text += `[[${number}]]`;
    }
  }
  const slot = { kind: 'run' as const, text, tags, pieces, marks, span };
  const isUnmarked = !pieces.some(
    (piece) => piece.type === 'text' && source.slice(piece.start, piece.end).match(MARKER),
  );
  return isUnmarked && marks.length <= MAX_MARKERS && isWhole(slot) ? [slot] : [];
}

/** Returns the range of the run without the padding at its ends. */
function trimPadding(source: string, pieces: readonly HtmlPiece[]): TextSpan {
  const [first, last] = [pieces[0] as HtmlPiece, pieces.at(-1) as HtmlPiece];
  const raw = ({ start, end }: HtmlPiece) => source.slice(start, end);
  const leadingPadding =
    first.type === 'text' ? (PADDING_BEFORE.exec(raw(first))?.[0].length ?? 0) : 0;
  const trailingPadding = last.type === 'text' ? measurePaddingAfter(raw(last)) : 0;
  return { start: first.start + leadingPadding, end: last.end - trailingPadding };
}

/**
 * Returns whether a text can be sent to the model and its merge tags recognized in the response.
 */
function isWhole({ text, tags }: Pick<TextSlot, 'text' | 'tags'>): boolean {
  const literal = text.replace(MERGE_TAG, '').replace(MARKER, '');
  return (
    LETTER.test(literal) &&
    !UNSAFE.test(literal) &&
    text.length <= MAX_TEXT_LENGTH &&
    listTags(text).length === tags.length
  );
}

/** Decodes character references in a text. `tags` are its merge tags as written in the source. */
function readText(raw: string, decode: (raw: string) => string): { text: string; tags: string[] } {
  const tags: string[] = [];
  let text = '';
  let position = 0;
  for (const { 0: tag, index } of raw.matchAll(MERGE_TAG)) {
    text += inOneLine(decode(raw.slice(position, index))) + decode(tag);
    tags.push(tag);
    position = index + tag.length;
  }
  return { text: text + inOneLine(decode(raw.slice(position))), tags };
}

const inOneLine = (text: string) => text.replace(/[ \t\r\n\f]+/g, ' ');

const parse = (html: string) => new DOMParser().parseFromString(html, 'text/html').body;
const decodeText = (raw: string) =>
  raw.includes('&') ? (parse(`<p>${raw.replaceAll('<', '&lt;')}</p>`).textContent ?? '') : raw;
const decodeAttribute = (raw: string) =>
  raw.includes('&')
    ? (parse(`<p title="${raw.replaceAll('"', '&quot;')}">`).firstElementChild?.getAttribute(
        'title',
      ) ?? '')
    : raw;

const REFERENCES: Record<string, string> = {
  ...{ '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;', "'": '&#39;', '\u00a0': '&nbsp;' },
};
const escapeCharacters = (text: string, characters: RegExp) =>
  text.replace(characters, (character) => REFERENCES[character] ?? character);

/** Returns a function that writes parts of a response as HTML, with merge tags as in the source. */
function createWriter(tags: readonly string[], characters: RegExp): (part: string) => string {
  const unusedTags = tags.map((source) => ({ source, key: toTagKey(decodeText(source)) }));
  const takeSource = (tag: string) => {
    const tagIndex = unusedTags.findIndex(({ key }) => key === toTagKey(tag));
    return tagIndex < 0 ? '' : (unusedTags.splice(tagIndex, 1)[0]?.source ?? '');
  };
  return (part) => {
    let result = '';
    let position = 0;
    for (const { 0: tag, index } of part.matchAll(MERGE_TAG)) {
      result += escapeCharacters(part.slice(position, index), characters) + takeSource(tag);
      position = index + tag.length;
    }
    return result + escapeCharacters(part.slice(position), characters);
  };
}

function addMarkup(
  { tags, marks }: TextSlot & { kind: 'run' },
  reply: string,
  raw: (span: TextSpan) => string,
): string {
  const write = createWriter(tags, /[&<>\u00a0]/g);
  const line = inOneLine(reply).trim();
  let result = '';
  let position = 0;
  for (const { 0: whole, 1: slash, 2: digits, index } of line.matchAll(MARKER)) {
    const tag = marks[Number(digits) - 1]?.[slash === '/' ? 1 : 0];
    result += write(line.slice(position, index)) + (tag ? raw(tag) : '');
    position = index + whole.length;
  }
  return result + write(line.slice(position));
}

function createValue(source: string, { span, tags }: TextSlot, reply: string): string {
  const value = createWriter(tags, /[&<>"'\u00a0]/g)(inOneLine(reply).trim());
  const quote = source[span.start - 1];
  return quote === '"' || quote === "'" ? value : `"${value}"`;
}
