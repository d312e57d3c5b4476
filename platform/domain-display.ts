// Domains as readers see them: in Unicode, unless the letters could be confused with others; such a
// domain stays in Punycode (`xn--…`), as in a browser's address bar
// (docs/decisions/0063-internationalized-domain-names.md).
import punycode from 'punycode.js';

/** Converts a domain, or the domain of an email address, to Unicode. */
export function toUnicodeDomain(text: string): string {
  if (!/xn--/i.test(text)) return text;
  const at = text.lastIndexOf('@') + 1;
  const labels = text.slice(at).split('.');
  const top = labels.at(-1)?.toLowerCase() ?? '';
  return text.slice(0, at) + labels.map((label) => shownLabel(label, top)).join('.');
}

function shownLabel(label: string, top: string): string {
  const ascii = label.toLowerCase();
  if (!ascii.startsWith('xn--')) return label;
  const decodedLabel = decodeLabel(ascii);
  return decodedLabel !== undefined && isUnambiguous(decodedLabel, top) ? decodedLabel : label;
}

/** Returns undefined if no browser would show the host this way: it could be misread. */
function decodeLabel(ascii: string): string | undefined {
  try {
    const decodedText = punycode.decode(ascii.slice('xn--'.length));
    return URL.parse(`http://${decodedText}.x`)?.hostname === `${ascii}.x`
      ? decodedText
      : undefined;
  } catch {
    return undefined;
  }
}

/** Scripts in current use (UAX 31); Latin may be combined with East Asian scripts only. */
const SCRIPTS = [
  ...['Latin Han Hiragana Katakana', 'Latin Han Bopomofo', 'Latin Han Hangul', 'Arabic'],
  ...['Armenian', 'Bengali', 'Cyrillic', 'Devanagari', 'Ethiopic', 'Georgian', 'Greek', 'Gujarati'],
  ...['Gurmukhi', 'Hebrew', 'Kannada', 'Khmer', 'Lao', 'Malayalam', 'Myanmar', 'Oriya', 'Sinhala'],
  ...['Tamil', 'Telugu', 'Thaana', 'Thai', 'Tibetan'],
].map((names) => {
  const scripts = names.split(' ').map((name) => `\\p{scx=${name}}`);
  return new RegExp(`^[0-9-${scripts.join('')}]+$`, 'u');
});

const DIGITS = [/[0-9]/, /[٠-٩]/, /[۰-۹]/];

/**
 * Labels that can be mistaken for Latin because all of their letters look alike, and the top-level
 * domains under which they are expected and therefore shown.
 */
const HOMOGLYPHS: [RegExp, string[]][] = [
  [
    /^[аысԁеԍһіюјӏорԗԛѕԝхуъьҽпгѵѡ0-9-]+$/,
    ['bg', 'by', 'kz', 'ru', 'su', 'ua', 'uz', 'mk', 'rs', 'kg', 'mn', 'tj'],
  ],
  [/^[αικνρυωηοτ0-9-]+$/, ['gr', 'cy']],
  [/^[agհոսւօզց0-9-]+$/, ['am']],
];

/** Phonetic and similar Latin letters that look like plain characters: ɑ, ɡ, ǃ, ĸ. */
const ODD_LATIN =
  /[\u0138\u01c0-\u01c3\u0250-\u0252\u0255\u0256\u0258\u025a\u025c-\u0267\u0269-\u02af\u1d00-\u1dbf\u2c60-\u2c7f\ua720-\ua7ff\uab30-\uab6f]/;

function isUnambiguous(label: string, top: string): boolean {
  if (!/^[\p{L}\p{M}\p{Nd}-]+$/u.test(label) || ODD_LATIN.test(label)) return false;
  if (!SCRIPTS.some((script) => script.test(label))) return false;
  if (DIGITS.filter((digits) => digits.test(label)).length > 1) return false;
  if (label.includes('ı') && top !== 'tr' && top !== 'az') return false;
  return HOMOGLYPHS.every(
    ([pattern, tops]) => !pattern.test(label) || tops.includes(top) || top.startsWith('xn--'),
  );
}
