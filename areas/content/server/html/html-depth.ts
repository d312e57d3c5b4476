// Nesting depth of HTML as parsers build it. Unclosed elements nest the content after them; void
// and implicitly closed elements do not, so tags alone do not determine the depth.
import {
  defaultTreeAdapter,
  html as standard,
  Parser,
  serialize,
  type DefaultTreeAdapterMap,
  type Token,
} from 'parse5';

/** Maximum nesting depth, including html and body. */
export const MAX_DEPTH = 400;
/**
 * Maximum elements, beyond any real email. A small number of tags can create more, because
 * unclosed formatting is reopened in each paragraph.
 */
const MAX_ELEMENTS = 200_000;
/** Maximum UTF-16 units of all attributes, which are repeated with each reopened element. */
const MAX_TOTAL_ATTRIBUTE_LENGTH = 16 * 1024 * 1024;
/** Suffix that turns a tag name into an unknown element without special parsing rules. */
export const PLAIN_MARK = '\ufdd6';

export type HtmlDepth = {
  /**
   * Start of the first tag nested deeper than MAX_DEPTH, in UTF-16 units; undefined if there is
   * none.
   */
  tooDeepAt: number | undefined;
  /** Number of elements; infinite above MAX_ELEMENTS or MAX_TOTAL_ATTRIBUTE_LENGTH. */
  elementCount: number;
  /**
   * Number of pairs of attributes, summed across all tags, because some parsers compare each
   * attribute of a tag with all others.
   */
  attributePairCount: number;
  /**
   * The HTML as parsed, with an explicit closing tag for each element that is not void, so that
   * every parser agrees on it. SVG and MathML elements get plain names, because parsers disagree on
   * their end. Only valid within the limits.
   */
  serializeClosed(): string;
};

/** Measures in bounded time for any HTML: parsing stops at the first element beyond a limit. */
export function measureHtmlDepth(html: string): HtmlDepth {
  const parser = new MeasuringParser();
  const { result } = parser;
  try {
    parser.tokenizer.write(html, true);
  } catch (error) {
    if (!(error instanceof LimitReached)) throw error;
    if (parser.depth > MAX_DEPTH) {
      result.tooDeepAt = html.lastIndexOf('<', parser.tokenizer.preprocessor.offset);
    } else result.elementCount = Number.POSITIVE_INFINITY;
  }
  return result;
}

const CLOSED: typeof defaultTreeAdapter = {
  ...defaultTreeAdapter,
  getTagName: (element) =>
    element.namespaceURI === standard.NS.HTML ? element.tagName : element.tagName + PLAIN_MARK,
  // In quirks mode tables nest in paragraphs; this is the shortest quirks doctype.
  getDocumentTypeNodeName: ({ name, parentNode }) =>
    name !== '' && parentNode && 'mode' in parentNode && parentNode.mode === 'quirks'
      ? `${name} PUBLIC "HTML"`
      : name,
  // Parsers drop the first line break in these elements.
  getTextNodeContent: (text) => {
    const parent = text.parentNode;
    const isRead =
      parent === null || !('tagName' in parent) || !/^(pre|listing|textarea)$/.test(parent.tagName);
    return isRead || parent.childNodes[0] !== text || !text.value.startsWith('\n')
      ? text.value
      : `\n${text.value}`;
  },
};

class LimitReached extends Error {}

class MeasuringParser extends Parser<DefaultTreeAdapterMap> {
  depth = 0;
  attributeLength = 0;
  readonly result: HtmlDepth = {
    tooDeepAt: undefined,
    elementCount: 0,
    attributePairCount: 0,
    serializeClosed: () => serialize(this.document, { treeAdapter: CLOSED }),
  };

  constructor() {
    super({
      treeAdapter: {
        ...defaultTreeAdapter,
        createElement: (tag, namespace, attributes) => {
          for (const { name, value } of attributes)
            this.attributeLength += name.length + value.length;
          const isTooMuch = this.attributeLength > MAX_TOTAL_ATTRIBUTE_LENGTH;
          if (++this.result.elementCount > MAX_ELEMENTS || isTooMuch) throw new LimitReached();
          return defaultTreeAdapter.createElement(tag, namespace, attributes);
        },
      },
    });
  }

  override onStartTag(token: Token.TagToken): void {
    this.result.attributePairCount += token.attrs.length ** 2;
    super.onStartTag(token);
  }

  override onEndTag(token: Token.TagToken): void {
    this.result.attributePairCount += token.attrs.length ** 2;
    super.onEndTag(token);
  }

  override onItemPush(...args: Parameters<Parser<DefaultTreeAdapterMap>['onItemPush']>): void {
    if (++this.depth > MAX_DEPTH) throw new LimitReached();
    super.onItemPush(...args);
  }

  override onItemPop(...args: Parameters<Parser<DefaultTreeAdapterMap>['onItemPop']>): void {
    this.depth--;
    super.onItemPop(...args);
  }
}
