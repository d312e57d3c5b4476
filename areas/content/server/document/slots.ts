// User text bypasses MJML: slots represent it, and are replaced in the finished HTML. So no text is
// parsed as layout markup, and merge tags are unchanged.
import { removeMarkers } from '../personalization/conditions.ts';
import { escapeHtml } from '../html/character-references.ts';
import { maskTags, unmask } from '../html/masked-source.ts';

const SLOT = /xslot(\d+)x/g;

export class ContentSlots {
  private readonly contents: string[] = [];

  /** Stores finished HTML. Returns its placeholder. */
  addHtml(html: string): string {
    return this.add(removeMarkers(html));
  }

  /** Stores a condition marker. The other methods remove markers, which user text might contain. */
  addMarker(marker: string): string {
    return this.add(marker);
  }

  /** Stores one line of plain text or the value of an attribute. */
  addLine(text: string): string {
    return this.addHtml(escapeLine(text));
  }

  private add(html: string): string {
    return `xslot${this.contents.push(html) - 1}x`;
  }

  fill(layout: string): string {
    return layout.replace(SLOT, (_, index) => this.contents[Number(index)] ?? '');
  }
}

/** Escapes text except merge tags. */
export function escapeLine(text: string): string {
  const masked = maskTags(text, false);
  return unmask(escapeHtml(masked.text), masked.tags);
}

/** Formats an attribute. MJML copies values unchanged; single quotes of font names are kept. */
const formatAttribute = (value: string) =>
  value.replaceAll('&', '&amp;').replaceAll('"', '&quot;').replaceAll('<', '&lt;');

type ElementAttributes = Record<string, string | number | undefined>;

/** Renders an MJML element; attributes without a value are omitted. Children are MJML or slots. */
export function renderElement(name: string, attributes: ElementAttributes, children = ''): string {
  const attributeText = Object.entries(attributes)
    .filter(([, value]) => value !== undefined && value !== '')
    .map(([key, value]) => ` ${key}="${formatAttribute(String(value))}"`)
    .join('');
  return `<${name}${attributeText}>${children}</${name}>`;
}
