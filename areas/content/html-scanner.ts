// Tokenizes HTML as browsers do and returns positions of tags and attributes, without changing a
// byte. The content of Outlook's conditional comments counts as HTML, since its links are clicked
// although browsers do not see them. Broken markup is read to the end of the text, never refused
// with an error.

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
  let isExceptOutlook = false;
  for (const token of tokensOf(html)) {
    if (token.type !== 'comment' || !html.startsWith('<!--', token.start)) {
      // The token is changed in place, because copies would double the garbage of a scan.
      if (isExceptOutlook) token.readers = 'others';
      yield token;
      continue;
    }
    const source = html.slice(token.start, token.end);
    const condition = CONDITION.exec(source)?.[0];
    if (condition === undefined) {
      if (END_OF_CONDITION.test(source)) isExceptOutlook = false;
      yield token;
    } else if (/^(?:<!)?--!?>$/.test(source.slice(condition.length))) {
      isExceptOutlook = EXCEPT_OUTLOOK.test(condition);
      yield token;
    } else yield* insideOf(html, token.start, token.end, condition);
  }
}

/**
 * Yields the HTML for Outlook inside a conditional comment; an unfinished token ends with it.
 */
function* insideOf(
  html: string,
  start: number,
  end: number,
  condition: string,
): Generator<HtmlToken> {
  const readers = 'outlook';
  const from = start + condition.length;
  const until = Math.max(from, end - (/--!?>$/.exec(html.slice(from, end))?.[0].length ?? 0));
  yield { type: 'comment', start, end: from, readers };
  let last: HtmlToken | undefined;
  for (const token of tokensOf(html.slice(from, until))) {
    if (last) yield last;
    shiftToken(token, from);
    token.readers = readers;
    last = token;
  }
  if (last?.type === 'comment') last.end = end;
  if (last) yield last;
  if (until < end && last?.end !== end) yield { type: 'comment', start: until, end, readers };
}

function shiftToken(token: HtmlToken, by: number): void {
  for (const place of token.type === 'open' ? [token, ...token.attributes] : [token]) {
    place.start += by;
    place.end += by;
  }
}

/** Returns tokens without evaluating Outlook's conditions: each is for all clients. */
function* tokensOf(html: string): Generator<HtmlToken> {
  let at = 0;
  let from = 0;
  while (at < html.length) {
    const open = html.indexOf('<', from);
    const token = open === -1 ? undefined : markupAt(html, open);
    if (token === undefined) {
      // A bracket that starts no tag is text, which may continue after it.
      if (open !== -1 && open + 1 < html.length) {
        from = open + 1;
        continue;
      }
      yield { type: 'text', start: at, end: html.length, readers: 'all' };
      return;
    }
    if (open > at) yield { type: 'text', start: at, end: open, readers: 'all' };
    // Read before the token is yielded, because `insideOf` moves its positions.
    at = token.end;
    yield token;
    if (token.type === 'open' && (RAW_ELEMENTS.has(token.name) || TEXT_ELEMENTS.has(token.name))) {
      const end = rawEnd(html, at, token.name);
      if (end > at && TEXT_ELEMENTS.has(token.name)) {
        yield { type: 'text', start: at, end, readers: 'all' };
      } else if (end > at) {
        yield { type: 'raw', element: token.name, start: at, end, readers: 'all' };
      }
      at = end;
    }
    from = at;
  }
}

function markupAt(html: string, start: number): HtmlToken | undefined {
  const next = html[start + 1] ?? '';
  if (LETTER.test(next)) return openTag(html, start);
  if (next === '/' && LETTER.test(html[start + 2] ?? '')) return closeTag(html, start);
  if (next !== '!' && next !== '/' && next !== '?') return undefined;
  const end = next === '!' ? commentEnd(html, start) : positionAfter(html, '>', start);
  return { type: 'comment', start, end, readers: 'all' };
}

const COMMENT_END = /--!?>/g;

function commentEnd(html: string, start: number): number {
  if (!html.startsWith('<!--', start)) return positionAfter(html, '>', start);
  if (html.startsWith('<!-->', start)) return start + 5;
  if (html.startsWith('<!--->', start)) return start + 6;
  COMMENT_END.lastIndex = start + 4;
  return COMMENT_END.test(html) ? COMMENT_END.lastIndex : html.length;
}

function positionAfter(html: string, text: string, from: number): number {
  const found = html.indexOf(text, from);
  return found === -1 ? html.length : found + text.length;
}

function closeTag(html: string, start: number): HtmlToken {
  const end = positionAfter(html, '>', start);
  const name = /^[^\s/>]+/.exec(html.slice(start + 2, Math.min(end, start + 66)))?.[0] ?? '';
  return { type: 'close', name: name.toLowerCase(), start, end, readers: 'all' };
}

function openTag(html: string, start: number): HtmlToken {
  let at = endOf(NAME_END, html, start + 1);
  const name = html.slice(start + 1, at).toLowerCase();
  const attributes: HtmlAttribute[] = [];
  while (at < html.length && html[at] !== '>') {
    if (html[at] === '/') at++;
    else {
      const next = skipSpace(html, at);
      at = next > at ? next : attributeAt(html, at, attributes);
    }
  }
  const end = Math.min(at + 1, html.length);
  return { type: 'open', name, start, end, attributes, readers: 'all' };
}

/**
 * Returns the position of the next character of one of the classes, or the end if there is none.
 */
function endOf(classes: number, html: string, from: number): number {
  let at = from;
  for (; at < html.length; at++) {
    const code = html.charCodeAt(at);
    const found = code < 128 ? CLASSES[code] : /\s/.test(html[at] as string) ? SPACE : 0;
    if (((found as number) & classes) !== 0) break;
  }
  return at;
}

function skipSpace(html: string, from: number): number {
  let at = from;
  for (; at < html.length; at++) {
    const code = html.charCodeAt(at);
    if (code !== 32 && code !== 9 && code !== 10 && code !== 12 && code !== 13) break;
  }
  return at;
}

function attributeAt(html: string, start: number, into: HtmlAttribute[]): number {
  const at = endOf(ATTRIBUTE_NAME_END, html, start + 1);
  const name = html.slice(start, at).toLowerCase();
  let next = skipSpace(html, at);
  if (html[next] !== '=') {
    into.push({ name, start: at, end: at });
    return at;
  }
  next = skipSpace(html, next + 1);
  const quote = html[next];
  if (quote === '"' || quote === "'") {
    const close = html.indexOf(quote, next + 1);
    const end = close === -1 ? html.length : close;
    into.push({ name, start: next + 1, end });
    return Math.min(end + 1, html.length);
  }
  const end = endOf(UNQUOTED_END, html, next);
  into.push({ name, start: next, end });
  return end;
}

function rawEnd(html: string, from: number, element: string): number {
  const closing = new RegExp(`</${element}(?=[\\s/>])`, 'gi');
  closing.lastIndex = from;
  return closing.exec(html)?.index ?? html.length;
}
