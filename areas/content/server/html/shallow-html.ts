// Recognizes HTML that is certainly not nested too deeply, in a fifth of the time that a parser
// needs.
import { type HtmlToken, scanHtml } from '../../html-scanner.ts';
import { VOID } from './hidden-elements.ts';

/**
 * Maximum open tags. A parser nests at most three times as deeply, because it adds rows and bodies
 * to tables and reopens formatting that a block closed. That is still below MAX_DEPTH.
 */
const MAX_OPEN = 100;

/**
 * Elements that parsers close at their closing tag or earlier. Elements such as select, svg,
 * noscript and template are missing, because they change how a parser reads the text after them.
 */
const PLAIN_ELEMENTS: ReadonlySet<string> = new Set(
  (
    'html head body title style meta link base div center section article header footer main nav aside ' +
    'figure figcaption address p h1 h2 h3 h4 h5 h6 pre blockquote ul ol li table thead tbody tfoot tr ' +
    'td th col colgroup span a b strong i em u s strike small big font sub sup code tt abbr cite label ' +
    'ins del br hr img wbr'
  ).split(' '),
);

/** Characters that end the name of a tag in browsers. */
const NAME_END = /[\t\n\f\r />]/;
/** White space that separates attributes for the scanner, but not for browsers. */
const FOREIGN_SPACE = /[\v\u00a0\u1680\u2000-\u200a\u2028\u2029\u202f\u205f\u3000\ufeff]/;

/**
 * Returns false if only a parser (`measureHtmlDepth`) can determine the depth.
 * @param tokens the tokens of `html`, if already scanned
 */
export function isShallow(html: string, tokens: Iterable<HtmlToken> = scanHtml(html)): boolean {
  const openTags: string[] = [];
  for (const token of tokens) {
    // Content for Outlook only is a comment to parsers.
    if (token.readers === 'outlook' || (token.type !== 'open' && token.type !== 'close')) continue;
    if (!isPlain(html, token)) return false;
    if (token.type === 'close') {
      // With tags in another order, a parser's open elements differ from the open tags.
      if (openTags.pop() !== token.name) return false;
    } else if (!VOID.has(token.name) && openTags.push(token.name) > MAX_OPEN) return false;
  }
  return true;
}

function isPlain(html: string, token: Extract<HtmlToken, { name: string }>): boolean {
  const { type, name, start, end } = token;
  if (!PLAIN_ELEMENTS.has(name)) return false;
  if (type === 'close') return end - start === name.length + '</>'.length;
  const isNameEnded = NAME_END.test(html[start + 1 + name.length] ?? '');
  return isNameEnded && !FOREIGN_SPACE.test(html.slice(start, end));
}
