// How deep HTML is nested as programs read it: an element that nothing closes nests what follows, one that ends by
// itself does not, and neither can be told from the tags alone.
import {
  defaultTreeAdapter,
  html as standard,
  Parser,
  serialize,
  type DefaultTreeAdapterMap,
  type Token,
} from 'parse5';

/** Elements inside each other, the page's own included. */
export const MAX_DEPTH = 400;
/** No mail has as many; few tags may become more, where unclosed ones are opened anew in each paragraph. */
const MOST_ELEMENTS = 200_000;
/** In UTF-16 units, of all attributes: those of an element that is opened anew come anew. */
const MOST_WRITTEN = 16 * 1024 * 1024;
/** Behind a name, it makes an element one that no reader knows: of no rules but those of any. */
export const PLAIN = '\ufdd6';

export type HtmlDepth = {
  /** Where the tag begins that is nested deeper than MAX_DEPTH, in UTF-16 units; undefined if none is. */
  tooDeepAt: number | undefined;
  /** Infinite for more than any mail has. */
  elements: number;
  /** Pairs of attributes within each of the tags, all added up: some readers compare each with each. */
  attributePairs: number;
  /**
   * The HTML as it was understood, each element ended by a tag of its own: whoever reads it anew has nothing left
   * to decide. Those of drawings and formulas are made plain, as readers differ in where they end. Only for what
   * is neither too deep nor too much.
   */
  closed(): string;
};

/** In time, whatever the HTML is. What follows the element that is too deep, or one too many, is not read. */
export function htmlDepth(html: string): HtmlDepth {
  const parser = new MeasuringParser();
  const { measured } = parser;
  try {
    parser.tokenizer.write(html, true);
  } catch (error) {
    if (!(error instanceof Enough)) throw error;
    if (parser.depth > MAX_DEPTH) {
      measured.tooDeepAt = html.lastIndexOf('<', parser.tokenizer.preprocessor.offset);
    } else measured.elements = Number.POSITIVE_INFINITY;
  }
  return measured;
}

const CLOSED: typeof defaultTreeAdapter = {
  ...defaultTreeAdapter,
  getTagName: (element) =>
    element.namespaceURI === standard.NS.HTML ? element.tagName : element.tagName + PLAIN,
  // In old kinds of pages tables stand in paragraphs; this is the shortest way to be one.
  getDocumentTypeNodeName: ({ name, parentNode }) =>
    name !== '' && parentNode && 'mode' in parentNode && parentNode.mode === 'quirks'
      ? `${name} PUBLIC "HTML"`
      : name,
  // The first break in these is not read.
  getTextNodeContent: (text) => {
    const parent = text.parentNode;
    const isRead =
      parent === null || !('tagName' in parent) || !/^(pre|listing|textarea)$/.test(parent.tagName);
    return isRead || parent.childNodes[0] !== text || !text.value.startsWith('\n')
      ? text.value
      : `\n${text.value}`;
  },
};

class Enough extends Error {}

class MeasuringParser extends Parser<DefaultTreeAdapterMap> {
  depth = 0;
  written = 0;
  readonly measured: HtmlDepth = {
    tooDeepAt: undefined,
    elements: 0,
    attributePairs: 0,
    closed: () => serialize(this.document, { treeAdapter: CLOSED }),
  };

  constructor() {
    super({
      treeAdapter: {
        ...defaultTreeAdapter,
        createElement: (tag, namespace, attributes) => {
          for (const { name, value } of attributes) this.written += name.length + value.length;
          const isTooMuch = this.written > MOST_WRITTEN;
          if (++this.measured.elements > MOST_ELEMENTS || isTooMuch) throw new Enough();
          return defaultTreeAdapter.createElement(tag, namespace, attributes);
        },
      },
    });
  }

  override onStartTag(token: Token.TagToken): void {
    this.measured.attributePairs += token.attrs.length ** 2;
    super.onStartTag(token);
  }

  override onEndTag(token: Token.TagToken): void {
    this.measured.attributePairs += token.attrs.length ** 2;
    super.onEndTag(token);
  }

  override onItemPush(...of: Parameters<Parser<DefaultTreeAdapterMap>['onItemPush']>): void {
    if (++this.depth > MAX_DEPTH) throw new Enough();
    super.onItemPush(...of);
  }

  override onItemPop(...of: Parameters<Parser<DefaultTreeAdapterMap>['onItemPop']>): void {
    this.depth--;
    super.onItemPop(...of);
  }
}
