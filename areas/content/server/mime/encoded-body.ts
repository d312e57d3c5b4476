// A message as byte segments: constant bytes with fixed-width placeholders (tokens, date) filled in
// place, and recipient values between them.
import type { BodyEncoding } from './body-encoding.ts';
import type { Test } from '../personalization/conditions.ts';
import type { FilterMoment } from '../personalization/filters.ts';
import type { MergeValues } from '../personalization/merge-tags.ts';
import {
  type QuotedLine,
  computeMaxEncodedLength,
  writeSoftBreak,
  writeEncoded,
} from './quoted-printable.ts';
import type { MessagePart } from '../html/instrumenting.ts';
import { TOKEN_LENGTH } from '#areas/tracking/server/index.ts';

/** Kinds of placeholders, as indexes of the recipient's fixed-width strings. */
export const PLACEHOLDER = { token: 0, messageToken: 1, date: 2 } as const;
export type Placeholder = keyof typeof PLACEHOLDER;

export type BodySegment =
  /** `placeholders`: position in `bytes`, kind, offset in the placeholder's text, length; four numbers each. */
  | { kind: 'bytes'; bytes: Buffer; placeholders: Int32Array }
  /** A value inside a body. `slot` is the index of the recipient's text. */
  | { kind: 'value'; slot: number; render(values: MergeValues, moment: FilterMoment): string }
  /** The next `count` segments are a body, which is collected and written in base64. */
  | { kind: 'base64'; count: number; size: number }
  /** Skips the next `skip` segments if the test fails. */
  | { kind: 'condition'; isFor: Test; skip: number }
  /** A whole header field. */
  | {
      kind: 'field';
      slot: number;
      render(recipient: { email: string; values: MergeValues }, moment: FilterMoment): string;
    };

/** Collects segments; bodies are encoded, headers are written unchanged. */
export class SegmentWriter {
  readonly segments: BodySegment[] = [];
  private bytes = Buffer.allocUnsafe(4096);
  private length = 0;
  private placeholders: number[] = [];
  private slots = 0;
  private readonly line: QuotedLine = { column: 0 };
  private encoding: BodyEncoding = 'quoted-printable';
  private openCondition: (BodySegment & { kind: 'condition' }) | undefined;

  /** Header lines and MIME boundaries, as UTF-8. */
  writeRaw(text: string): void {
    this.reserve(Buffer.byteLength(text));
    this.length += this.bytes.write(text, this.length);
  }

  writeRawPlaceholder(placeholder: Placeholder, width: number): void {
    this.reserve(width);
    this.addPlaceholder(placeholder, 0, width);
  }

  writeField(
    evaluate: (recipient: { email: string; values: MergeValues }, moment: FilterMoment) => string,
  ): void {
    this.flush();
    this.segments.push({ kind: 'field', slot: this.slots++, render: evaluate });
  }

  /** Writes a body in this encoding. Returns the column at its end. */
  writeBody(parts: readonly MessagePart[], encoding: BodyEncoding): number {
    this.encoding = encoding;
    this.line.column = 0;
    if (encoding !== 'base64') return this.writeParts(parts);
    this.flush();
    const start = this.segments.length;
    const opening: BodySegment = { kind: 'base64', count: 0, size: 0 };
    this.segments.push(opening);
    this.writeParts(parts);
    this.flush();
    opening.count = this.segments.length - start - 1;
    opening.size = sumSizes(this.segments.slice(start + 1));
    return 0;
  }

  private writeParts(parts: readonly MessagePart[]): number {
    for (const part of joinParts(parts)) {
      if (typeof part === 'string') this.writeText(part);
      else if ('token' in part) this.writeToken();
      else if ('isFor' in part) this.startCondition(part.isFor);
      else if ('isEnd' in part) this.endCondition();
      else this.writeValue(part);
    }
    if (this.openCondition) this.endCondition();
    return this.line.column;
  }

  finish(): BodySegment[] {
    this.flush();
    return this.segments;
  }

  private writeText(text: string): void {
    if (this.encoding !== 'quoted-printable') return this.writePlain(text);
    this.reserve(computeMaxEncodedLength(text.length));
    this.length = writeEncoded(this.bytes, this.length, text, this.line);
  }

  private writePlain(text: string): void {
    this.writeRaw(normalizeBreaks(text));
    this.line.column = /[\r\n]$/.test(text) ? 0 : 1;
  }

  /**
   * Writes the placeholder of a token. It may span two lines; the break is at the same position in
   * every copy.
   */
  private writeToken(): void {
    if (this.encoding !== 'quoted-printable') {
      this.line.column = 1;
      return this.writeRawPlaceholder('token', TOKEN_LENGTH);
    }
    this.reserve(TOKEN_LENGTH + 6);
    let start = 0;
    while (start < TOKEN_LENGTH) {
      if (this.line.column >= 75) this.breakLine();
      const width = Math.min(75 - this.line.column, TOKEN_LENGTH - start);
      this.addPlaceholder('token', start, width);
      this.line.column += width;
      start += width;
    }
  }

  private writeValue(part: { render(values: MergeValues, moment: FilterMoment): string }): void {
    this.ensureLineStart();
    this.flush();
    this.segments.push({ kind: 'value', slot: this.slots++, render: part.render });
    this.line.column = 0;
  }

  /**
   * Conditional segments start and end at the start of a line, so that the encoding of the text
   * after them is valid whether they are written or skipped.
   */
  private startCondition(isFor: Test): void {
    this.endCondition();
    this.openCondition = { kind: 'condition', isFor, skip: 0 };
    this.segments.push(this.openCondition);
  }

  private endCondition(): void {
    this.ensureLineStart();
    this.flush();
    if (this.openCondition)
      this.openCondition.skip =
        this.segments.length - 1 - this.segments.indexOf(this.openCondition);
    this.openCondition = undefined;
  }

  private ensureLineStart(): void {
    if (this.encoding !== 'quoted-printable' || this.line.column === 0) return;
    this.reserve(3);
    this.breakLine();
  }

  private breakLine(): void {
    this.length = writeSoftBreak(this.bytes, this.length);
    this.line.column = 0;
  }

  private addPlaceholder(placeholder: Placeholder, from: number, width: number): void {
    this.placeholders.push(this.length, PLACEHOLDER[placeholder], from, width);
    this.bytes.fill(120, this.length, this.length + width);
    this.length += width;
  }

  private flush(): void {
    if (this.length === 0) return;
    this.segments.push({
      kind: 'bytes',
      bytes: Buffer.from(this.bytes.subarray(0, this.length)),
      placeholders: Int32Array.from(this.placeholders),
    });
    this.length = 0;
    this.placeholders = [];
  }

  private reserve(extraBytes: number): void {
    if (this.length + extraBytes <= this.bytes.length) return;
    const larger = Buffer.allocUnsafe(Math.max(this.bytes.length * 2, this.length + extraBytes));
    this.bytes.copy(larger, 0, 0, this.length);
    this.bytes = larger;
  }
}

/** Counts the constant bytes, including placeholders. */
export function sumSizes(segments: readonly BodySegment[]): number {
  return segments.reduce(
    (total, segment) => total + (segment.kind === 'bytes' ? segment.bytes.length : 0),
    0,
  );
}

/** Converts line breaks to CRLF. */
export function normalizeBreaks(text: string): string {
  return /[\r\n]/.test(text) ? text.replace(/\r\n|\r|\n/g, '\r\n') : text;
}

/** Joins adjacent strings, because the encoder looks at the character after a space. */
function joinParts(parts: readonly MessagePart[]): MessagePart[] {
  const list: MessagePart[] = [];
  for (const part of parts) {
    const lastPart = list.at(-1);
    if (typeof part === 'string' && typeof lastPart === 'string')
      list[list.length - 1] = lastPart + part;
    else if (part !== '') list.push(part);
  }
  return list;
}
