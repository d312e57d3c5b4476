// Quoted-printable (RFC 2045, 6.7) whose output needs no dot-stuffing and is already in DKIM's
// relaxed canonical form: no line starts with a dot, no two spaces are adjacent, no line ends with
// a space or exceeds 76 characters. Tested against independent decoders.

/** Maximum content of a line before the "=" of a soft break. */
const MAX_LINE_LENGTH = 75;
const HEX = Buffer.from('0123456789ABCDEF', 'latin1');
const LITERAL = new Uint8Array(128);
for (let c = 33; c < 127; c++) LITERAL[c] = c === 61 ? 0 : 1;
const SPACE = 32;
const EQUALS = 61;
const DOT = 46;
const LETTER_F = 70;
const CR = 13;
const LF = 10;

/** Returns the upper bound in bytes for `length` UTF-16 units: nine per unit, and soft breaks. */
export function computeMaxEncodedLength(length: number): number {
  return length * 10 + 16;
}

/** Column of the next character of a body. */
export type QuotedLine = { column: number };

/**
 * Writes `text` from `line.column` on, updates `line` and returns the end.
 * `computeMaxEncodedLength(text.length)` bytes must be available. A final space is written as =20
 * because the following text is unknown here.
 */
export function writeEncoded(
  into: Uint8Array,
  from: number,
  text: string,
  line: QuotedLine,
): number {
  let position = from;
  let column = line.column;
  let afterSpace = false;
  for (let i = 0; i < text.length; i++) {
    const code = text.charCodeAt(i);
    if (code < 128 && LITERAL[code] === 1) {
      if (column >= MAX_LINE_LENGTH) {
        position = writeSoftBreak(into, position);
        column = 0;
      }
      if (column > 0 || !mustEscapeLineStart(text, i, code)) {
        into[position++] = code;
        column++;
        afterSpace = false;
        continue;
      }
    }
    if (code === LF || code === CR) {
      if (code === CR && text.charCodeAt(i + 1) === LF) i++;
      into[position++] = CR;
      into[position++] = LF;
      column = 0;
      afterSpace = false;
      continue;
    }
    if (code === SPACE && !afterSpace && !isLineEnd(text, i)) {
      if (column >= MAX_LINE_LENGTH) {
        position = writeSoftBreak(into, position);
        column = 0;
      }
      into[position++] = SPACE;
      column++;
      afterSpace = true;
      continue;
    }
    const point = readCodePoint(text, i);
    if (point > 0xffff) i++;
    const width = point < 0x80 ? 3 : point < 0x800 ? 6 : point < 0x10000 ? 9 : 12;
    if (column + width > MAX_LINE_LENGTH) {
      position = writeSoftBreak(into, position);
      column = 0;
    }
    position = writePoint(into, position, point);
    column += width;
    afterSpace = false;
  }
  line.column = column;
  return position;
}

/** Writes a merge value on its own lines: from column 0, closed by a soft break. */
export function writeValue(into: Uint8Array, from: number, text: string): number {
  const line = { column: 0 };
  return writeSoftBreak(into, writeEncoded(into, from, text, line));
}

/** Ends the encoded line with a soft break, which is not a line break of the text. */
export function writeSoftBreak(into: Uint8Array, at: number): number {
  into[at] = EQUALS;
  into[at + 1] = CR;
  into[at + 2] = LF;
  return at + 3;
}

/**
 * Returns whether the start of a line must be escaped: a leading dot would need stuffing, and
 * programs that write mbox files change a leading "From ".
 */
function mustEscapeLineStart(text: string, i: number, code: number): boolean {
  return code === DOT || (code === LETTER_F && text.startsWith('From ', i));
}

function isLineEnd(text: string, i: number): boolean {
  const next = text.charCodeAt(i + 1);
  return Number.isNaN(next) || next === CR || next === LF;
}

/** Returns the code point at `i`; an unpaired surrogate becomes U+FFFD, as in UTF-8 encoders. */
function readCodePoint(text: string, i: number): number {
  const point = text.codePointAt(i) as number;
  return point >= 0xd800 && point <= 0xdfff ? 0xfffd : point;
}

function writePoint(into: Uint8Array, at: number, point: number): number {
  if (point < 0x80) return writeByte(into, at, point);
  if (point < 0x800) {
    return writeByte(into, writeByte(into, at, 0xc0 | (point >> 6)), 0x80 | (point & 63));
  }
  if (point < 0x10000) {
    const next = writeByte(
      into,
      writeByte(into, at, 0xe0 | (point >> 12)),
      0x80 | ((point >> 6) & 63),
    );
    return writeByte(into, next, 0x80 | (point & 63));
  }
  const afterHighBytes = writeByte(
    into,
    writeByte(into, at, 0xf0 | (point >> 18)),
    0x80 | ((point >> 12) & 63),
  );
  return writeByte(
    into,
    writeByte(into, afterHighBytes, 0x80 | ((point >> 6) & 63)),
    0x80 | (point & 63),
  );
}

function writeByte(into: Uint8Array, at: number, byte: number): number {
  into[at] = EQUALS;
  into[at + 1] = HEX[byte >> 4] as number;
  into[at + 2] = HEX[byte & 15] as number;
  return at + 3;
}

/**
 * Decodes a body that this module encoded. Previews and web versions decode the bytes of the email
 * so that they show what is sent.
 */
export function decodeQuotedPrintable(encoded: Uint8Array): string {
  const output = Buffer.allocUnsafe(encoded.length);
  let length = 0;
  for (let i = 0; i < encoded.length; i++) {
    const byte = encoded[i] as number;
    if (byte !== EQUALS) output[length++] = byte;
    else if (encoded[i + 1] === CR) i += 2;
    else {
      output[length++] = Number.parseInt(
        String.fromCharCode(encoded[i + 1] ?? 48, encoded[i + 2] ?? 48),
        16,
      );
      i += 2;
    }
  }
  return output.toString('utf8', 0, length);
}
