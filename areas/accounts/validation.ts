// Validation of the onboarding forms, shared by browser and server: names, website, postal
// address. Each function returns the key of the issue, or undefined.
import { dictionary } from '#platform/dictionary.ts';
import { toLatinDigits } from '#platform/digits.ts';
import { isPublicAddress } from '#platform/public-address.ts';
import ipaddr from 'ipaddr.js';
import { postcodeValidator, postcodeValidatorExistsForCountry } from 'postcode-validator';
import { MAX_ADDRESS, MIN_NAME_LENGTH, MAX_NAME_LENGTH, MAX_URL } from './shared.ts';

const PROTOCOLS = new Set(['http:', 'https:', 'ftp:']);
/**
 * Endings of host names that are not public: special-use domains (RFC 6761, RFC 6762, RFC 8375, RFC
 * 9476) and names of local networks.
 */
const LOCAL_NAMES = /(^|\.)(localhost|local|internal|intranet|lan|home\.arpa|test|invalid|alt)$/;
const LABEL = /^(?!-)[a-z0-9_-]{1,63}(?<!-)$/;
const TOP_LEVEL = /^(?:[a-z]{2,63}|xn--[a-z0-9-]{1,59})$/;

/** Returns whether the text has no visible characters, only spaces, direction marks and joiners. */
export function isBlank(input: string): boolean {
  return /^[\s\p{Z}\p{Cf}\p{Cc}]*$/u.test(input);
}

/** Counts code points so that an emoji of two UTF-16 units is one character. */
function getLength(text: string): number {
  return [...text].length;
}

export type NameIssue = 'required' | 'short' | 'long' | 'characters';

/** Finds the issue of a first or last name. A valid name is one line of 2 to 64 characters. */
export function findNameIssue(input: string): NameIssue | undefined {
  const issue = findLineIssue(input, MAX_NAME_LENGTH);
  return issue ?? (getLength(input.trim()) < MIN_NAME_LENGTH ? 'short' : undefined);
}

export type LineIssue = 'required' | 'long' | 'characters';

/**
 * Finds the issue of a street, a city or a state. A valid one is one line of at most 255
 * characters.
 */
export function findPlaceIssue(input: string): LineIssue | undefined {
  return findLineIssue(input, MAX_ADDRESS);
}

function findLineIssue(input: string, max: number): LineIssue | undefined {
  const text = input.trim();
  if (isBlank(text)) return 'required';
  if (/\p{Cc}/u.test(text)) return 'characters';
  return getLength(text) > max ? 'long' : undefined;
}

export type WebsiteIssue = 'required' | 'invalid' | 'long';

/**
 * Finds the issue of a website. A valid website is a public http, https or ftp address of at most
 * 255 characters; private and local hosts are refused.
 */
export function findWebsiteIssue(input: string): WebsiteIssue | undefined {
  const text = input.trim();
  if (isBlank(text)) return 'required';
  if (text.length > MAX_URL) return 'long';
  if (/\s/.test(text) || !/^[a-z]+:\/\/[^/\\]/i.test(text)) return 'invalid';
  const url = URL.parse(text);
  if (!url || !PROTOCOLS.has(url.protocol) || url.username || url.password) return 'invalid';
  const host = url.hostname.replace(/\.$/, '');
  return isPublicHost(host) ? undefined : 'invalid';
}

/** Adds https:// to text without a protocol, if the result is a valid website. */
export function withProtocol(input: string): string {
  // `//shop.example` has no protocol either.
  const text = input.trim().replace(/^\/{2}(?!\/)/, '');
  if (text === '' || /^[a-z][a-z\d+.-]*:/i.test(text)) return text;
  const absolute = `https://${text}`;
  return findWebsiteIssue(absolute) === undefined ? absolute : text;
}

function isPublicHost(host: string): boolean {
  const withoutBrackets = host.replace(/^\[|\]$/g, '');
  if (ipaddr.isValid(withoutBrackets)) return isPublicAddress(withoutBrackets);
  if (host.length > 253 || LOCAL_NAMES.test(host)) return false;
  const labels = host.split('.');
  return (
    labels.length > 1 &&
    labels.every((label) => LABEL.test(label)) &&
    TOP_LEVEL.test(labels.at(-1) ?? '')
  );
}

const FOUR_DIGITS = /^\d{4}$/;
const FIVE_DIGITS = /^\d{5}$/;
const SIX_DIGITS = /^\d{6}$/;

/**
 * Formats that the shared validator lacks or defines differently (Universal Postal Union,
 * addressing data).
 */
const OWN_FORMATS: Record<string, RegExp> = dictionary({
  AR: /^[A-HJ-NP-Z]?\d{4}([A-Z]{3})?$/,
  AZ: /^(AZ[ -]?)?\d{4}$/,
  JP: /^〒? ?\d{3}-?\d{4}$/,
  LT: /^(LT[ -]?)?\d{5}$/,
  LV: /^(LV[ -]?)?\d{4}$/,
  MD: /^(MD[ -]?)?\d{4}$/,
  PL: /^\d{2}-?\d{3}$/,
  SV: /^((CP|SV)[ -]?)?\d{4}$/,
  KY: /^KY[1-3]-\d{4}$/,
  MS: /^MSR\s?\d{4}$/,
  KN: /^KN\d{4}$/,
  LC: /^LC\d{2} {1,2}\d{3}$/,
  VC: /^VC\d{4}$/,
  WS: /^WS\d{4}$/,
  VG: /^VG\d{4}$/,
  BV: FOUR_DIGITS,
  LY: FIVE_DIGITS,
  SS: FIVE_DIGITS,
  TF: FIVE_DIGITS,
  TT: SIX_DIGITS,
});

/** Returns whether a postal code format is known for this country (two letters). */
export function hasPostalFormat(country: string): boolean {
  return country in OWN_FORMATS || postcodeValidatorExistsForCountry(country);
}

export type PostalIssue = 'required' | 'invalid' | 'noCountry';

/**
 * Finds the issue of a postal code. It is required only if the country's format is known; for other
 * countries every value is valid.
 */
export function findPostalIssue(
  code: string,
  country: string | null | undefined,
): PostalIssue | undefined {
  const text = code.trim();
  if (!country) return 'noCountry';
  if (!hasPostalFormat(country)) return undefined;
  if (text === '') return 'required';
  const normalized = normalizeCode(text);
  const format = OWN_FORMATS[country];
  const isValid = format
    ? format.test(normalized)
    : postcodeValidator(normalized, country) ||
      postcodeValidator(normalized.replaceAll(' ', ''), country);
  return isValid ? undefined : 'invalid';
}

/**
 * Normalizes input from any keyboard to capital letters, ASCII digits, plain hyphens and spaces.
 */
const normalizeCode = (code: string): string =>
  toLatinDigits(code.normalize('NFKC'))
    .replace(/[\p{Pd}\u2212]/gu, '-')
    .replace(/[\s\p{Cf}]/gu, ' ')
    .trim()
    .toUpperCase();
