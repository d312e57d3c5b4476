// Header fields (RFC 5322, 2047): encodes any text so that no value can end its field.
import { domainToASCII } from 'node:url';

/**
 * Maximum length of a line with encoded words (RFC 2047, 2), which is also within the 78 characters
 * that RFC 5322, 2.1.1, recommends for every line.
 */
const MAX_LINE_LENGTH = 76;
const ENCODED_OVERHEAD = '=?utf-8?B??='.length;

/** Words of printable ASCII with single spaces. */
const PLAIN_LINE = /^[\x21-\x7e]+(?: [\x21-\x7e]+)*$/;
const PLAIN_ADDRESS = /^[\x21-\x2b\x2d-\x3a\x3d\x3f-\x7e]+$/;

const NOT_IN_LINES = /[\u0000-\u001f\u007f\u0085\u2028\u2029]/;

/**
 * Replaces line breaks with spaces and removes control characters, so that no value ends a header.
 */
export function toOneLine(text: string): string {
  const wellFormed = text.toWellFormed();
  if (!NOT_IN_LINES.test(wellFormed)) return wellFormed;
  return wellFormed
    .replace(/[\r\n\t\u0085\u2028\u2029]+/g, ' ')
    .replace(/[\u0000-\u001f\u007f]/g, '');
}

/** Formats `Name: text` for unstructured fields (Subject): folded, in ASCII, with CRLF. */
export function formatTextField(name: string, text: string): string {
  const space = MAX_LINE_LENGTH - name.length - 2;
  // Fast path for one line of ASCII, with the same result as the path below.
  if (text.length <= space && PLAIN_LINE.test(text) && !text.includes('=?')) {
    return `${name}: ${text}\r\n`;
  }
  const value = toOneLine(text).trim();
  const words = value.split(' ');
  const isPlain =
    /^[\x20-\x7e]*$/.test(value) &&
    !value.includes('=?') &&
    words.every((word) => word !== '' && word.length <= space);
  if (value === '') return `${name}:\r\n`;
  return `${name}: ${isPlain ? fold(words, name.length + 2) : encodeWords(value, name.length + 2)}\r\n`;
}

/** Formats `Name: "Display name" <address>` with CRLF. */
export function formatAddressField(
  name: string,
  mailbox: { name?: string; email: string },
): string {
  const address = `<${formatHeaderAddress(mailbox.email)}>`;
  const title = mailbox.name ? toOneLine(mailbox.name).trim() : '';
  if (title === '') return `${name}: ${address}\r\n`;
  const phrase = encodePhrase(title, name.length + 2);
  const lastLineLength = name.length + 2 + phrase.length - Math.max(0, phrase.lastIndexOf('\r\n'));
  return `${name}: ${phrase}${lastLineLength + address.length + 1 > MAX_LINE_LENGTH ? '\r\n ' : ' '}${address}\r\n`;
}

/** Formats `Name: address, address` with CRLF, one address per line. */
export function formatAddressListField(
  name: string,
  mailboxes: readonly { name?: string; email: string }[],
): string {
  const fields = mailboxes.map((mailbox) =>
    formatAddressField(name, mailbox).slice(name.length + 2, -2),
  );
  return `${name}: ${fields.join(',\r\n ')}\r\n`;
}

/** Writes a display name bare, quoted or encoded. */
export function encodePhrase(title: string, column: number): string {
  if (/^[A-Za-z0-9!#$%&'*+/=?^_`{|}~ -]+$/.test(title) && title.length <= 60 && isTidy(title)) {
    return title;
  }
  if (/^[\x20-\x7e]+$/.test(title) && title.length <= 60 && isTidy(title)) {
    return `"${title.replace(/["\\]/g, '\\$&')}"`;
  }
  return encodeWords(title, column);
}

function isTidy(text: string): boolean {
  return !text.includes('=?') && !text.includes('  ');
}

/** Formats an address for use between < and >, converting the domain to ASCII. */
export function formatHeaderAddress(email: string): string {
  if (PLAIN_ADDRESS.test(email)) return email;
  const clean = email.toWellFormed().replace(/[\u0000-\u0020\u007f<>,;]/g, '');
  const separator = clean.lastIndexOf('@');
  if (separator === -1 || /^[\x21-\x7e]*$/.test(clean.slice(separator))) return clean;
  return `${clean.slice(0, separator)}@${domainToASCII(clean.slice(separator + 1))}`;
}

function fold(words: readonly string[], startColumn: number): string {
  let text = '';
  let column = startColumn;
  words.forEach((word, i) => {
    const breaks = i > 0 && column + 1 + word.length > MAX_LINE_LENGTH;
    if (i > 0) text += breaks ? '\r\n ' : ' ';
    text += word;
    column = (breaks ? 1 : column + (i > 0 ? 1 : 0)) + word.length;
  });
  return text;
}

/** Writes encoded words, one per line, without splitting a character. */
function encodeWords(text: string, startColumn: number): string {
  let space = computeSpace(startColumn);
  if (Buffer.byteLength(text) <= space) return encodeWord(text);
  const words: string[] = [];
  let chunk = '';
  let size = 0;
  for (const char of text) {
    const bytes = Buffer.byteLength(char);
    if (size + bytes > space && chunk !== '') {
      words.push(encodeWord(chunk));
      chunk = '';
      size = 0;
      space = computeSpace(1);
    }
    chunk += char;
    size += bytes;
  }
  words.push(encodeWord(chunk));
  return words.join('\r\n ');
}

function computeSpace(column: number): number {
  return Math.max(
    4,
    Math.floor((Math.min(MAX_LINE_LENGTH, 75 + column) - column - ENCODED_OVERHEAD) / 4) * 3,
  );
}

function encodeWord(text: string): string {
  return `=?utf-8?B?${Buffer.from(text, 'utf8').toString('base64')}?=`;
}

const DAYS = ['Sun', 'Mon', 'Tue', 'Wed', 'Thu', 'Fri', 'Sat'];
const MONTHS = ['Jan', 'Feb', 'Mar', 'Apr', 'May', 'Jun', 'Jul', 'Aug', 'Sep', 'Oct', 'Nov', 'Dec'];
export const DATE_LENGTH = 31;

/** Formats the Date field's value, always 31 characters. */
export function formatDateValue(date: Date): string {
  const padTwo = (value: number) => String(value).padStart(2, '0');
  const day = `${DAYS[date.getUTCDay()]}, ${padTwo(date.getUTCDate())} ${MONTHS[date.getUTCMonth()]}`;
  const time = [date.getUTCHours(), date.getUTCMinutes(), date.getUTCSeconds()]
    .map(padTwo)
    .join(':');
  return `${day} ${String(date.getUTCFullYear()).padStart(4, '0')} ${time} +0000`;
}
