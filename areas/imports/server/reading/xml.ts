// Splits an XML stream into tags and text: the subset of XML in workbooks.
import { dictionary } from '#platform/dictionary.ts';

export interface XmlHandler {
  /**
   * `name` without its prefix; `attributes` is the raw text after it, read with `readAttribute`.
   */
  onOpenTag(name: string, attributes: string): void;
  onCloseTag(name: string): void;
  /** Decoded; not called while `wantsText` is false. */
  onText(value: string): void;
  wantsText(): boolean;
}

/** A longer tag or text is not from a real workbook: a cell holds 32,767 characters. */
const MAX_TOKEN = 256 * 1024;
/** Twice the maximum of an Excel cell, which some programs exceed slightly. */
const MAX_CELL_TEXT = 64 * 1024;

export class XmlError extends Error {}

/**
 * Appends to the text of one cell.
 * @throws XmlError if it exceeds the maximum of a cell
 */
export function appendCellText(text: string, addition: string): string {
  if (text.length + addition.length > MAX_CELL_TEXT) throw new XmlError('a text exceeds the limit');
  return text + addition;
}

/**
 * Feeds a handler from chunks of XML. Only character references and the five entities of XML are
 * expanded, and a DOCTYPE is skipped, so expansion attacks are impossible.
 */
export class XmlReader {
  private pendingText = '';
  /**
   * State of a tag that continues in the next chunk: the scanned length, and whether it ends inside
   * quotes.
   */
  private scannedLength = 0;
  private isQuoted = false;
  private readonly handler: XmlHandler;

  constructor(handler: XmlHandler) {
    this.handler = handler;
  }

  write(chunk: string): void {
    const text = this.pendingText === '' ? chunk : this.pendingText + chunk;
    let position = 0;
    for (;;) {
      const openIndex = text.indexOf('<', position);
      if (openIndex === -1) break;
      if (openIndex > position && this.handler.wantsText())
        this.handler.onText(decodeEntities(text.slice(position, openIndex)));
      const next = this.readMarkup(text, openIndex);
      if (next === -1) {
        position = openIndex;
        break;
      }
      position = next;
    }
    this.pendingText = text.slice(position);
    if (this.pendingText.length > MAX_TOKEN) throw new XmlError('a token exceeds the limit');
  }

  /** Reads one piece of markup; returns its end, or -1 if more text is needed. */
  private readMarkup(text: string, openIndex: number): number {
    const code = text.charCodeAt(openIndex + 1);
    if (code === 33) return this.readDeclaration(text, openIndex);
    const close = this.findTagEnd(text, openIndex);
    if (close === -1) return -1;
    if (code === 63) return close + 1;
    if (code === 47) {
      this.handler.onCloseTag(toLocalName(text.slice(openIndex + 2, close).trimEnd()));
      return close + 1;
    }
    const selfClosing = text.charCodeAt(close - 1) === 47;
    const end = selfClosing ? close - 1 : close;
    let stop = openIndex + 1;
    while (stop < end && text.charCodeAt(stop) > 32) stop += 1;
    const name = toLocalName(text.slice(openIndex + 1, stop));
    this.handler.onOpenTag(name, text.slice(stop, end));
    if (selfClosing) this.handler.onCloseTag(name);
    return close + 1;
  }

  // A '>' inside quotes does not end the tag. Each character is scanned once, even if the tag
  // arrives in pieces: rescanning from its start took minutes for a tag with thousands of quotes.
  private findTagEnd(text: string, openIndex: number): number {
    let isQuoted = this.isQuoted;
    for (let position = openIndex + this.scannedLength; position < text.length; position++) {
      const code = text.charCodeAt(position);
      if (code === 34) isQuoted = !isQuoted;
      else if (code === 62 && !isQuoted) {
        this.scannedLength = 0;
        this.isQuoted = false;
        return position;
      }
    }
    this.scannedLength = text.length - openIndex;
    this.isQuoted = isQuoted;
    return -1;
  }

  private readDeclaration(text: string, openIndex: number): number {
    if (text.length < openIndex + 9) return -1;
    if (text.startsWith('<!--', openIndex)) return findEndOf(text, '-->', openIndex);
    if (!text.startsWith('<![CDATA[', openIndex)) return findEndOf(text, '>', openIndex);
    const end = text.indexOf(']]>', openIndex);
    if (end === -1) return -1;
    if (this.handler.wantsText()) this.handler.onText(text.slice(openIndex + 9, end));
    return end + 3;
  }
}

function findEndOf(text: string, endMark: string, from: number): number {
  const index = text.indexOf(endMark, from);
  return index === -1 ? -1 : index + endMark.length;
}

function toLocalName(name: string): string {
  const colon = name.indexOf(':');
  return colon === -1 ? name : name.slice(colon + 1);
}

/** Returns the value of an attribute in the raw text of a tag. */
export function readAttribute(attributes: string, name: string): string | undefined {
  let index = attributes.indexOf(`${name}=`);
  while (index > 0 && attributes.charCodeAt(index - 1) > 32)
    index = attributes.indexOf(`${name}=`, index + 1);
  if (index === -1) return undefined;
  const start = index + name.length + 1;
  const quote = attributes[start];
  if (quote !== '"' && quote !== "'") return undefined;
  const end = attributes.indexOf(quote, start + 1);
  return end === -1 ? undefined : decodeEntities(attributes.slice(start + 1, end));
}

const entities = dictionary({ amp: '&', lt: '<', gt: '>', quot: '"', apos: "'" });

function decodeEntities(text: string): string {
  if (!text.includes('&')) return text;
  return text.replace(/&(#x[0-9a-fA-F]{1,6}|#[0-9]{1,7}|[a-z]+);/g, (reference, name: string) => {
    if (name[0] !== '#') return entities[name] ?? reference;
    const code = name[1] === 'x' ? Number.parseInt(name.slice(2), 16) : Number(name.slice(1));
    return code > 0 && code <= 0x10ffff && (code < 0xd800 || code > 0xdfff)
      ? String.fromCodePoint(code)
      : '\ufffd';
  });
}
