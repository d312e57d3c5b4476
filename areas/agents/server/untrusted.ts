// Cleans text from outside the account. An assistant reads it as data: it appears only under
// `untrusted`, shortened to visible text without links. Marking alone does not stop an injection;
// the real protection is that no tool sends data out of the account.
import { MAX_UNTRUSTED } from '../shared.ts';

/** Text is cut to this length before it is cleaned, which limits the work. */
const MAX_READ = 8 * MAX_UNTRUSTED;
const MAX_VALUES = 100;
/** Invisible characters except line breaks: control, format, private and unassigned ones. */
const CONTROL = /[^\P{C}\n]/gu;
/** Variation selectors, invisible marks that can carry hidden text. */
const SELECTORS = /\p{Variation_Selector}/gu;
const TAGS = /<\/?[a-z!?][^<>]*>/gi;
const LINKS =
  /(?:\b[a-z][a-z0-9+.-]{1,20}:\/\/|\bwww\.|\b(?:data|javascript|mailto|tel|sms):)\S*/gi;

/**
 * Removes HTML comments, which readers never see. An unclosed comment hides the rest of the text.
 */
function removeComments(text: string): string {
  let visibleText = '';
  let position = 0;
  for (;;) {
    const start = text.indexOf('<!--', position);
    if (start < 0) return visibleText + text.slice(position);
    visibleText += text.slice(position, start);
    const end = text.indexOf('-->', start);
    if (end < 0) return visibleText;
    position = end + 3;
  }
}

export function cleanText(text: string): string {
  const visibleText = removeComments(text.slice(0, MAX_READ).replace(/\r\n?/g, '\n'))
    .replace(CONTROL, '')
    .replace(SELECTORS, '')
    .replace(TAGS, ' ')
    .replace(LINKS, '[link]')
    .replace(/[ \t]{2,}/g, ' ')
    .trim();
  return visibleText.length > MAX_UNTRUSTED
    ? `${visibleText.slice(0, MAX_UNTRUSTED).toWellFormed()}…`
    : visibleText;
}

/** Cleans every string within a value, including property names. */
export function cleanValue(value: unknown): unknown {
  if (typeof value === 'string') return cleanText(value);
  if (Array.isArray(value)) return value.slice(0, MAX_VALUES).map(cleanValue);
  if (value === null || typeof value !== 'object') return value;
  return Object.fromEntries(
    Object.entries(value)
      .slice(0, MAX_VALUES)
      .map(([name, part]) => [cleanText(name), cleanValue(part)]),
  );
}
