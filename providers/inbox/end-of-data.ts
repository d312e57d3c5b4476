// Finds the end of DATA (RFC 5321 4.1.1.4) in bytes split at any position, and removes dot
// stuffing.

const CR = 13;
const LF = 10;
const DOT = 46;
export const END_OF_DATA = Buffer.from('\r\n.\r\n');
const LINE_DOT = Buffer.from('\n.');

/** An empty message: its dot is on the first line. */
export function startEnd(bytes: Buffer): { keep: number; next: number } | undefined {
  return bytes[0] === DOT && bytes[1] === CR && bytes[2] === LF ? { keep: 0, next: 3 } : undefined;
}

/** The end of DATA that began in the previous chunk and ends in this one. */
export function acrossEnd(
  earlier: Buffer,
  bytes: Buffer,
): { keep: number; next: number } | undefined {
  const both = Buffer.concat([earlier, bytes.subarray(0, 4)]);
  if (earlier.length < 4 && both.subarray(0, 3).equals(END_OF_DATA.subarray(2))) {
    return { keep: -earlier.length, next: 3 - earlier.length };
  }
  const at = both.indexOf(END_OF_DATA);
  return at < 0
    ? undefined
    : { keep: at + 2 - earlier.length, next: at + END_OF_DATA.length - earlier.length };
}

/** RFC 5321 4.5.2: removes the dots stuffed at line starts. */
export function unstuffed(bytes: Buffer): Buffer {
  if (bytes[0] !== DOT && !bytes.includes(LINE_DOT)) {
    return bytes;
  }
  const out = Buffer.allocUnsafe(bytes.length);
  let end = 0;
  for (let at = 0; at < bytes.length; at++) {
    const isStuffing =
      bytes[at] === DOT &&
      (at === 0 || (bytes[at - 1] === LF && bytes[at - 2] === CR)) &&
      at + 1 < bytes.length;
    if (!isStuffing) {
      out[end++] = bytes[at] ?? 0;
    }
  }
  return out.subarray(0, end);
}
