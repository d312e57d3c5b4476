// Encodes and decodes the bytes of SMS: GSM 7 bit with one septet per byte (SMPP's default alphabet
// at nearly all providers), Latin-1, or UCS-2. Inbound SMS may also be in ISO-8859-5 or ISO-8859-8.
// The parts of a long SMS have the concatenation header (3GPP TS 23.040, 9.2.3.24.1).
import { GSM_BASIC, GSM_EXTENDED, splitText } from '#areas/content/text-parts.ts';

export const CODING = { default: 0, latin1: 3, ucs2: 8 } as const;

/** The alphabet that an SMSC uses by default; `latin1` is ISO-8859-1. */
export type Alphabet = 'gsm7' | 'latin1';

const ESCAPE = 0x1b;
/** Codes of the extension table, in the order of GSM_EXTENDED. */
const EXTENDED_CODES = [0x14, 0x28, 0x29, 0x2f, 0x3c, 0x3d, 0x3e, 0x40, 0x65, 0x0a];

const NO_CODE = 0xffff;
/**
 * The GSM code of each UTF-16 unit, with ESCAPE in the high byte if the code takes two bytes;
 * NO_CODE if the unit has no code.
 */
const TO_GSM = new Uint16Array(0x10000).fill(NO_CODE);
const FROM_GSM = new Map<number, string>();
const FROM_EXTENDED = new Map<number, string>();
let code = 0;
for (const character of GSM_BASIC) {
  // The escape code is between Ξ and Æ.
  if (code === ESCAPE) code++;
  TO_GSM[character.charCodeAt(0)] = code;
  FROM_GSM.set(code++, character);
}
[...GSM_EXTENDED].forEach((character, index) => {
  const extendedCode = EXTENDED_CODES[index] as number;
  TO_GSM[character.charCodeAt(0)] = (ESCAPE << 8) | extendedCode;
  FROM_EXTENDED.set(extendedCode, character);
});

const QUESTION_MARK = 0x3f;

export function toGsm(text: string): Buffer {
  const bytes = Buffer.allocUnsafe(text.length * 2);
  let end = 0;
  for (let index = 0; index < text.length; index++) {
    const gsmCode = TO_GSM[text.charCodeAt(index)] as number;
    if (gsmCode === NO_CODE) bytes[end++] = QUESTION_MARK;
    else {
      if (gsmCode > 0xff) bytes[end++] = ESCAPE;
      bytes[end++] = gsmCode & 0xff;
    }
  }
  return bytes.subarray(0, end);
}

export function fromGsm(bytes: Buffer): string {
  let text = '';
  for (let index = 0; index < bytes.length; index++) {
    const byte = bytes[index] as number;
    if (byte === ESCAPE) text += FROM_EXTENDED.get(bytes[++index] ?? 0) ?? ' ';
    else text += FROM_GSM.get(byte) ?? '?';
  }
  return text;
}

const toUcs2 = (text: string): Buffer => Buffer.from(text, 'utf16le').swap16();

function fromUcs2(bytes: Buffer): string {
  const evenBytes = bytes.subarray(0, bytes.length & ~1);
  return Buffer.from(evenBytes).swap16().toString('utf16le');
}

export type SmsPart = { message: Buffer; hasHeader: boolean };

/** @param join a one-byte reference shared by the parts of an SMS */
export function encodeText(
  text: string,
  join: number,
  alphabet: Alphabet,
): { coding: number; pieces: SmsPart[] } {
  // The euro sign and the Greek letters of GSM 7 bit are not in Latin-1.
  const { encoding, parts } = splitText(text, alphabet === 'latin1' && /[^\0-\xff]/.test(text));
  const isWide = encoding === 'UCS-2';
  const write = (body: string) => {
    if (isWide) return toUcs2(body);
    return alphabet === 'latin1' ? Buffer.from(body, 'latin1') : toGsm(body);
  };
  const coding = isWide ? CODING.ucs2 : CODING.default;
  if (parts.length === 1) {
    return { coding, pieces: [{ message: write(parts[0] as string), hasHeader: false }] };
  }
  const smsParts = parts.map((body, index) => {
    const header = Buffer.from([5, 0, 3, join & 0xff, parts.length, index + 1]);
    return { message: Buffer.concat([header, write(body)]), hasHeader: true };
  });
  return { coding, pieces: smsParts };
}

type CharacterSet = 'default' | 'latin1' | 'iso-8859-5' | 'iso-8859-8' | 'ucs2';

/**
 * Values below 16 are defined by SMPP (5.2.19), higher values by GSM 03.38 (message class, message
 * waiting).
 */
function characterSetOf(coding: number): CharacterSet {
  if (coding < 0x10) {
    if (coding === CODING.ucs2) return 'ucs2';
    if (coding === 6) return 'iso-8859-5';
    if (coding === 7) return 'iso-8859-8';
    return coding === CODING.default ? 'default' : 'latin1';
  }
  const group = coding >> 4;
  if (group <= 0x7)
    return (['default', 'latin1', 'ucs2', 'default'] as const)[(coding >> 2) & 3] as CharacterSet;
  if (group === 0xe) return 'ucs2';
  if (group === 0xf && (coding & 0x04) !== 0) return 'latin1';
  return 'default';
}

export const isUcs2 = (coding: number): boolean => characterSetOf(coding) === 'ucs2';

/** Decodes an inbound SMS without its header. */
export function decodeText(message: Buffer, coding: number, alphabet: Alphabet): string {
  const characterSet = characterSetOf(coding);
  if (characterSet === 'ucs2') return fromUcs2(message);
  if (characterSet === 'default' && alphabet === 'gsm7') return fromGsm(message);
  if (characterSet === 'default' || characterSet === 'latin1') return message.toString('latin1');
  return new TextDecoder(characterSet).decode(message);
}
