// Tokenizes HTML as browsers do and returns positions of tags and attributes, without changing a
// byte. The content of Outlook's conditional comments counts as HTML, since its links are clicked
// although browsers do not see them. Broken markup ends at the end of the text, never with an
// error.
import { decodeHTMLAttribute } from 'entities';

export type HtmlAttribute = { name: string; start: number; end: number };
/** Clients that see a token: all, Outlook only, or all except Outlook. */
type Readers = 'all' | 'outlook' | 'others';
export type HtmlToken = Token & { readers: Readers };
type Token =
  | { type: 'text' | 'comment'; start: number; end: number }
  /** Content of a style or script element. */
  | { type: 'raw'; element: string; start: number; end: number }
  | { type: 'open'; name: string; start: number; end: number; attributes: HtmlAttribute[] }
  | { type: 'close'; name: string; start: number; end: number };

const RAW_ELEMENTS = new Set(['script', 'style', 'noembed', 'noframes', 'xmp', 'iframe']);
/** Elements whose content is text without tags. */
const TEXT_ELEMENTS = new Set(['title', 'textarea']);
const CONDITION = /^<!--\[if[^\]>]*\]>/i;
const EXCEPT_OUTLOOK = /^<!--\[if[^\]>]*!/i;
const END_OF_CONDITION = /^<!--\s*<!\[endif\]/i;
const SPACE = /[\t\n\f\r ]/;

/** Tokens of `html` in order, covering it without gaps. */
export function* scanHtml(html: string): Generator<HtmlToken> {
  let isExceptOutlook = false;
  for (const token of tokensOf(html)) {
    if (token.type !== 'comment' || !html.startsWith('<!--', token.start)) {
      yield { ...token, readers: isExceptOutlook ? 'others' : 'all' };
      continue;
    }
    const source = html.slice(token.start, token.end);
    const condition = CONDITION.exec(source)?.[0];
    if (condition === undefined) {
      if (END_OF_CONDITION.test(source)) isExceptOutlook = false;
      yield { ...token, readers: 'all' };
    } else if (/^(?:<!)?--!?>$/.test(source.slice(condition.length))) {
      isExceptOutlook = EXCEPT_OUTLOOK.test(condition);
      yield { ...token, readers: 'all' };
    } else yield* insideOf(html, token.start, token.end, condition);
  }
}

/** A browser comment with HTML for Outlook, which ends with the comment. */
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
    last = { ...moved(token, from), readers };
  }
  if (last?.type === 'comment') last.end = end;
  if (last) yield last;
  if (until < end && last?.end !== end) yield { type: 'comment', start: until, end, readers };
}

function moved(token: Token, by: number): Token {
  const place = { start: token.start + by, end: token.end + by };
  if (token.type !== 'open') return { ...token, ...place };
  const attributes = token.attributes.map(({ name, start, end }) => ({
    name,
    start: start + by,
    end: end + by,
  }));
  return { ...token, ...place, attributes };
}

function* tokensOf(html: string): Generator<Token> {
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
      yield { type: 'text', start: at, end: html.length };
      return;
    }
    if (open > at) yield { type: 'text', start: at, end: open };
    yield token;
    at = token.end;
    if (token.type === 'open' && (RAW_ELEMENTS.has(token.name) || TEXT_ELEMENTS.has(token.name))) {
      const end = rawEnd(html, at, token.name);
      if (end > at && TEXT_ELEMENTS.has(token.name)) yield { type: 'text', start: at, end };
      else if (end > at) yield { type: 'raw', element: token.name, start: at, end };
      at = end;
    }
    from = at;
  }
}

function markupAt(html: string, start: number): Token | undefined {
  const next = html[start + 1] ?? '';
  if (/[a-zA-Z]/.test(next)) return openTag(html, start);
  if (next === '/' && /[a-zA-Z]/.test(html[start + 2] ?? '')) return closeTag(html, start);
  if (next === '!') return { type: 'comment', start, end: commentEnd(html, start) };
  if (next === '/' || next === '?') return { type: 'comment', start, end: after(html, '>', start) };
  return undefined;
}

const COMMENT_END = /--!?>/g;

function commentEnd(html: string, start: number): number {
  if (!html.startsWith('<!--', start)) return after(html, '>', start);
  if (html.startsWith('<!-->', start)) return start + 5;
  if (html.startsWith('<!--->', start)) return start + 6;
  COMMENT_END.lastIndex = start + 4;
  return COMMENT_END.test(html) ? COMMENT_END.lastIndex : html.length;
}

function after(html: string, text: string, from: number): number {
  const found = html.indexOf(text, from);
  return found === -1 ? html.length : found + text.length;
}

function closeTag(html: string, start: number): Token {
  const end = after(html, '>', start);
  const name = /^[^\s/>]+/.exec(html.slice(start + 2, Math.min(end, start + 66)))?.[0] ?? '';
  return { type: 'close', name: name.toLowerCase(), start, end };
}

function openTag(html: string, start: number): Token {
  let at = start + 1;
  while (at < html.length && !/[\s/>]/.test(html[at] as string)) at++;
  const name = html.slice(start + 1, at).toLowerCase();
  const attributes: HtmlAttribute[] = [];
  while (at < html.length && html[at] !== '>') {
    if (html[at] === '/' || SPACE.test(html[at] as string)) at++;
    else at = attributeAt(html, at, attributes);
  }
  return { type: 'open', name, start, end: Math.min(at + 1, html.length), attributes };
}

function attributeAt(html: string, start: number, into: HtmlAttribute[]): number {
  let at = start + 1;
  while (at < html.length && !/[\s/>=]/.test(html[at] as string)) at++;
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
  let end = next;
  while (end < html.length && !/[\s>]/.test(html[end] as string)) end++;
  into.push({ name, start: next, end });
  return end;
}

function skipSpace(html: string, from: number): number {
  let at = from;
  while (at < html.length && SPACE.test(html[at] as string)) at++;
  return at;
}

function rawEnd(html: string, from: number, element: string): number {
  const closing = new RegExp(`</${element}(?=[\\s/>])`, 'gi');
  closing.lastIndex = from;
  return closing.exec(html)?.index ?? html.length;
}

/**
 * Decodes character references as browsers do in attributes: `&copy=1` in a URL is not a symbol.
 */
export function decodeEntities(text: string): string {
  return text.includes('&') ? decodeHTMLAttribute(text) : text;
}

const ESCAPES: Record<string, string> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
};

/** Escapes text for HTML text and for quoted or unquoted attribute values. */
export function escapeHtml(text: string): string {
  return /[&<>"']/.test(text) ? text.replace(/[&<>"']/g, (char) => ESCAPES[char] as string) : text;
}
