// What people wrote never passes through MJML: it waits in slots, and takes its place in the finished
// HTML. So nothing in a text can be taken for markup of the layout, and merge tags stay as they are.
import { withoutMarkers } from '../conditions.ts';
import { escapeHtml } from '../html-scanner.ts';
import { maskTags, unmask } from '../masked-source.ts';

const SLOT = /xslot(\d+)x/g;

export class Slots {
  private readonly kept: string[] = [];

  /** Finished HTML. Returns the word that stands for it. */
  html(html: string): string {
    return this.keep(withoutMarkers(html));
  }

  /** A mark of a condition, which no text may bring along. */
  marker(marker: string): string {
    return this.keep(marker);
  }

  /** One line of plain text, or the value of an attribute. */
  line(text: string): string {
    return this.html(escapeLine(text));
  }

  private keep(html: string): string {
    return `xslot${this.kept.push(html) - 1}x`;
  }

  fill(layout: string): string {
    return layout.replace(SLOT, (_, index) => this.kept[Number(index)] ?? '');
  }
}

/** Escaped but for its merge tags. */
export function escapeLine(text: string): string {
  const masked = maskTags(text, false);
  return unmask(escapeHtml(masked.text), masked.tags);
}

/** MJML hands values on as they are written; a font's single quotes stay readable. */
const attribute = (value: string) =>
  value.replaceAll('&', '&amp;').replaceAll('"', '&quot;').replaceAll('<', '&lt;');

type Attributes = Record<string, string | number | undefined>;

/** An element of MJML; attributes without a value are left out. Children are MJML or slots. */
export function element(name: string, attributes: Attributes, children = ''): string {
  const written = Object.entries(attributes)
    .filter(([, value]) => value !== undefined && value !== '')
    .map(([key, value]) => ` ${key}="${attribute(String(value))}"`)
    .join('');
  return `<${name}${written}>${children}</${name}>`;
}
