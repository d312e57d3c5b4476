// SHA-256 of short strings (FIPS 180-4) as hexadecimal digits. Browsers provide it only on https
// pages, and asynchronously, which is slower for thousands of hashes.

/**
 * The first 32 bits of the fractional parts of roots of primes: square roots of the first eight for
 * the initial state, cube roots of the first 64 for the rounds.
 */
const START: number[] = [];
const ROUNDS: number[] = [];
for (let n = 2; ROUNDS.length < 64; n++) {
  let isPrime = true;
  for (let step = 2; step * step <= n; step++) if (n % step === 0) isPrime = false;
  if (!isPrime) continue;
  const fractionBits = (root: number) => ((root - Math.floor(root)) * 2 ** 32) | 0;
  if (START.length < 8) START.push(fractionBits(n ** (1 / 2)));
  ROUNDS.push(fractionBits(n ** (1 / 3)));
}

const rotateRight = (word: number, bits: number) => (word >>> bits) | (word << (32 - bits));
const encoder = new TextEncoder();

export function sha256(text: string): string {
  const bytes = encoder.encode(text);
  const blocks = new DataView(new ArrayBuffer(((bytes.length + 72) >> 6) << 6));
  // Iterates by index, because some page libraries replace `entries`.
  for (let i = 0; i < bytes.length; i++) blocks.setUint8(i, bytes[i] as number);
  blocks.setUint8(bytes.length, 0x80);
  blocks.setUint32(blocks.byteLength - 4, bytes.length * 8);
  const state = new Int32Array(START);
  const words = new Int32Array(64);
  for (let from = 0; from < blocks.byteLength; from += 64) {
    for (let i = 0; i < 64; i++)
      words[i] = i < 16 ? blocks.getInt32(from + i * 4) : wordOf(words, i);
    mix(state, words);
  }
  return [...state].map((word) => (word >>> 0).toString(16).padStart(8, '0')).join('');
}

function wordOf(words: Int32Array, i: number): number {
  const wordAt = (offset: number) => words[i - offset] as number;
  const [b15, b2] = [wordAt(15), wordAt(2)];
  return (
    wordAt(16) +
    (rotateRight(b15, 7) ^ rotateRight(b15, 18) ^ (b15 >>> 3)) +
    wordAt(7) +
    (rotateRight(b2, 17) ^ rotateRight(b2, 19) ^ (b2 >>> 10))
  );
}

function mix(state: Int32Array, words: Int32Array): void {
  let [a, b, c, d, e, f, g, h] = state as unknown as [
    number,
    number,
    number,
    number,
    number,
    number,
    number,
    number,
  ];
  for (let i = 0; i < 64; i++) {
    const temp1 =
      h +
      (rotateRight(e, 6) ^ rotateRight(e, 11) ^ rotateRight(e, 25)) +
      ((e & f) ^ (~e & g)) +
      (ROUNDS[i] as number) +
      (words[i] as number);
    const temp2 =
      (rotateRight(a, 2) ^ rotateRight(a, 13) ^ rotateRight(a, 22)) + ((a & b) ^ (a & c) ^ (b & c));
    h = g;
    g = f;
    f = e;
    e = (d + temp1) | 0;
    d = c;
    c = b;
    b = a;
    a = (temp1 + temp2) | 0;
  }
  const registers = [a, b, c, d, e, f, g, h];
  for (let i = 0; i < 8; i++) state[i] = (state[i] as number) + (registers[i] as number);
}
