// How deep HTML is nested as programs read it: an element that nothing closes nests what follows, one that ends by
// itself does not, and neither can be told from the tags alone.
import { defaultTreeAdapter, Parser, type DefaultTreeAdapterMap, type Token } from 'parse5';

/** Elements inside each other, the page's own included. */
export const MAX_DEPTH = 400;
/** No mail has as many; few tags may become more, where unclosed ones are opened anew in each paragraph. */
const MOST_ELEMENTS = 200_000;

export type HtmlDepth = {
  /** Where the tag begins that is nested deeper than MAX_DEPTH, in UTF-16 units; undefined if none is. */
  tooDeepAt: number | undefined;
  /** Infinite for more than any mail has. */
  elements: number;
  /** Pairs of attributes within each of the tags, all added up: some readers compare each with each. */
  attributePairs: number;
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

class Enough extends Error {}

class MeasuringParser extends Parser<DefaultTreeAdapterMap> {
  depth = 0;
  readonly measured: HtmlDepth = { tooDeepAt: undefined, elements: 0, attributePairs: 0 };

  constructor() {
    super({
      treeAdapter: {
        ...defaultTreeAdapter,
        createElement: (...of) => {
          if (++this.measured.elements > MOST_ELEMENTS) throw new Enough();
          return defaultTreeAdapter.createElement(...of);
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
