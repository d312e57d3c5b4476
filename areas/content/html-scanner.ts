// Tokenizes HTML as browsers do and returns positions of tags and attributes, without changing a
// byte. The content of Outlook's conditional comments is treated as HTML because recipients can
// click its links in Outlook, although browsers do not show them. Broken markup is read to the end
// of the text, never refused with an error.

export type HtmlAttribute = { name: string; start: number; end: number };
/** Clients that see a token: all, Outlook only, or all except Outlook. */
type Readers = 'all' | 'outlook' | 'others';
export type HtmlToken = { readers: Readers } & (
  | { type: 'text' | 'comment'; start: number; end: number }
  /** Content of an element such as style or script, which is not parsed. */
  | { type: 'raw'; element: string; start: number; end: number }
  | { type: 'open'; name: string; start: number; end: number; attributes: HtmlAttribute[] }
  | { type: 'close'; name: string; start: number; end: number }
);

const RAW_ELEMENTS = new Set(['script', 'style', 'noembed', 'noframes', 'xmp', 'iframe']);
/** Elements whose content is text without tags. */
const TEXT_ELEMENTS = new Set(['title', 'textarea']);
const CONDITION = /^<!--\[if[^\]>]*\]>/i;
const EXCEPT_OUTLOOK = /^<!--\[if[^\]>]*!/i;
const END_OF_CONDITION = /^<!--\s*<!\[endif\]/i;
const LETTER = /[a-zA-Z]/;
/** Classes of ASCII characters as bits: a regular expression per character takes twice as long. */
const SPACE = 1;
const SLASH = 2;
const CLOSING = 4;
const EQUALS = 8;
const CLASSES = new Uint8Array(128);
for (const [chars, bit] of [
  ['\t\n\v\f\r ', SPACE],
  ['/', SLASH],
  ['>', CLOSING],
  ['=', EQUALS],
] as const) {
  for (const char of chars) CLASSES[char.charCodeAt(0)] = bit;
}
const NAME_END = SPACE | SLASH | CLOSING;
const ATTRIBUTE_NAME_END = NAME_END | EQUALS;
const UNQUOTED_END = SPACE | CLOSING;

/** Tokens of `html` in order, covering it without gaps. */
export function* scanHtml(html: string): Generator<HtmlToken> {
  let isHiddenFromOutlook = false;
  for (const token of scanTokens(html)) {
    if (token.type !== 'comment' || !html.startsWith('<!--', token.start)) {
      // The token is changed in place, because copies would double the garbage of a scan.
      if (isHiddenFromOutlook) token.readers = 'others';
      yield token;
      continue;
    }
    const source = html.slice(token.start, token.end);
    const condition = CONDITION.exec(source)?.[0];
    if (condition === undefined) {
      if (END_OF_CONDITION.test(source)) isHiddenFromOutlook = false;
      yield token;
    } else if (/^(?:<!)?--!?>$/.test(source.slice(condition.length))) {
      isHiddenFromOutlook = EXCEPT_OUTLOOK.test(condition);
      yield token;
    } else yield* scanConditional(html, token.start, token.end, condition);
  }
}

/**
 * Yields the Outlook HTML inside a conditional comment; an unfinished token ends where the comment
 * ends.
 */
function* scanConditional(
  html: string,
  start: number,
  end: number,
  condition: string,
): Generator<HtmlToken> {
  const readers = 'outlook';
  const contentStart = start + condition.length;
  const contentEnd = Math.max(
    contentStart,
    end - (/--!?>$/.exec(html.slice(contentStart, end))?.[0].length ?? 0),
  );
  yield { type: 'comment', start, end: contentStart, readers };
  let pending: HtmlToken | undefined;
  for (const token of scanTokens(html.slice(contentStart, contentEnd))) {
    if (pending) yield pending;
    shiftToken(token, contentStart);
    token.readers = readers;
    pending = token;
  }
  if (pending?.type === 'comment') pending.end = end;
  if (pending) yield pending;
  if (contentEnd < end && pending?.end !== end)
    yield { type: 'comment', start: contentEnd, end, readers };
}

function shiftToken(token: HtmlToken, offset: number): void {
  for (const range of token.type === 'open' ? [token, ...token.attributes] : [token]) {
    range.start += offset;
    range.end += offset;
  }
}

/** Returns tokens without evaluating Outlook's conditions: each is for all clients. */
function* scanTokens(html: string): Generator<HtmlToken> {
  let position = 0;
  let searchStart = 0;
  while (position < html.length) {
    const tagStart = html.indexOf('<', searchStart);
    const token = tagStart === -1 ? undefined : readMarkupAt(html, tagStart);
    if (token === undefined) {
      // A bracket that starts no tag is text, which may continue after it.
      if (tagStart !== -1 && tagStart + 1 < html.length) {
        searchStart = tagStart + 1;
        continue;
      }
      yield { type: 'text', start: position, end: html.length, readers: 'all' };
      return;
    }
    if (tagStart > position) yield { type: 'text', start: position, end: tagStart, readers: 'all' };
    // Read before the token is yielded, because `scanConditional` moves its positions.
    position = token.end;
    yield token;
    if (token.type === 'open' && (RAW_ELEMENTS.has(token.name) || TEXT_ELEMENTS.has(token.name))) {
      const end = findRawEnd(html, position, token.name);
      if (end > position && TEXT_ELEMENTS.has(token.name)) {
        yield { type: 'text', start: position, end, readers: 'all' };
      } else if (end > position) {
        yield { type: 'raw', element: token.name, start: position, end, readers: 'all' };
      }
      position = end;
    }
    searchStart = position;
  }
}

function readMarkupAt(html: string, start: number): HtmlToken | undefined {
  const next = html[start + 1] ?? '';
  if (LETTER.test(next)) return openTag(html, start);
  if (next === '/' && LETTER.test(html[start + 2] ?? '')) return closeTag(html, start);
  if (next !== '!' && next !== '/' && next !== '?') return undefined;
  const end = next === '!' ? findCommentEnd(html, start) : findPositionAfter(html, '>', start);
  return { type: 'comment', start, end, readers: 'all' };
}

const COMMENT_END = /--!?>/g;

function findCommentEnd(html: string, start: number): number {
  if (!html.startsWith('<!--', start)) return findPositionAfter(html, '>', start);
  if (html.startsWith('<!-->', start)) return start + 5;
  if (html.startsWith('<!--->', start)) return start + 6;
  COMMENT_END.lastIndex = start + 4;
  return COMMENT_END.test(html) ? COMMENT_END.lastIndex : html.length;
}

function findPositionAfter(html: string, text: string, from: number): number {
  const index = html.indexOf(text, from);
  return index === -1 ? html.length : index + text.length;
}

function closeTag(html: string, start: number): HtmlToken {
  const end = findPositionAfter(html, '>', start);
  const name = /^[^\s/>]+/.exec(html.slice(start + 2, Math.min(end, start + 66)))?.[0] ?? '';
  return { type: 'close', name: name.toLowerCase(), start, end, readers: 'all' };
}

function openTag(html: string, start: number): HtmlToken {
  let position = findEnd(NAME_END, html, start + 1);
  const name = html.slice(start + 1, position).toLowerCase();
  const attributes: HtmlAttribute[] = [];
  while (position < html.length && html[position] !== '>') {
    if (html[position] === '/') position++;
    else {
      const next = skipSpace(html, position);
      position = next > position ? next : readAttributeAt(html, position, attributes);
    }
  }
  const end = Math.min(position + 1, html.length);
  return { type: 'open', name, start, end, attributes, readers: 'all' };
}

/**
 * Returns the position of the next character in one of the classes, or the end if there is none.
 */
function findEnd(classes: number, html: string, from: number): number {
  let position = from;
  for (; position < html.length; position++) {
    const code = html.charCodeAt(position);
    const characterClass =
      code < 128 ? CLASSES[code] : /\s/.test(html[position] as string) ? SPACE : 0;
    if (((characterClass as number) & classes) !== 0) break;
  }
  return position;
}

function skipSpace(html: string, from: number): number {
  let position = from;
  for (; position < html.length; position++) {
    const code = html.charCodeAt(position);
    if (code !== 32 && code !== 9 && code !== 10 && code !== 12 && code !== 13) break;
  }
  return position;
}

function readAttributeAt(html: string, start: number, into: HtmlAttribute[]): number {
  const position = findEnd(ATTRIBUTE_NAME_END, html, start + 1);
  const name = html.slice(start, position).toLowerCase();
  let next = skipSpace(html, position);
  if (html[next] !== '=') {
    into.push({ name, start: position, end: position });
    return position;
  }
  next = skipSpace(html, next + 1);
  const quote = html[next];
  if (quote === '"' || quote === "'") {
    const close = html.indexOf(quote, next + 1);
    const end = close === -1 ? html.length : close;
    into.push({ name, start: next + 1, end });
    return Math.min(end + 1, html.length);
  }
  const end = findEnd(UNQUOTED_END, html, next);
  into.push({ name, start: next, end });
  return end;
}

function findRawEnd(html: string, from: number, element: string): number {
  const closing = new RegExp(`</${element}(?=[\\s/>])`, 'gi');
  closing.lastIndex = from;
  return closing.exec(html)?.index ?? html.length;
}
