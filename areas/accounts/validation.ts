// What introduces an account, judged alike in the browser and on the server (specification, section 5):
// the website and the postal code. Each answers with the key of what is wrong, or undefined.
import ipaddr from 'ipaddr.js';
import { postcodeValidator, postcodeValidatorExistsForCountry } from 'postcode-validator';
import { URL_MOST } from './limits.ts';

const PROTOCOLS = new Set(['http:', 'https:', 'ftp:']);
/** Names that never lead to the public internet (RFC 6761, RFC 6762, RFC 8375, RFC 9476). */
const LOCAL_NAMES = /(^|\.)(localhost|local|internal|intranet|lan|home\.arpa|test|invalid|alt)$/;
const LABEL = /^(?!-)[a-z0-9_-]{1,63}(?<!-)$/;
const TOP_LEVEL = /^(?:[a-z]{2,63}|xn--[a-z0-9-]{1,59})$/;

export type WebsiteIssue = 'required' | 'invalid' | 'long';

/** A public http, https or ftp address of at most 255 characters; private and local hosts are refused. */
export function websiteIssue(typed: string): WebsiteIssue | undefined {
  const text = typed.trim();
  if (text === '') return 'required';
  if (text.length > URL_MOST) return 'long';
  if (/\s/.test(text) || !/^[a-z]+:\/\//i.test(text)) return 'invalid';
  const url = URL.parse(text);
  if (!url || !PROTOCOLS.has(url.protocol) || url.username || url.password) return 'invalid';
  // URL leaves the host of ftp as typed but for case; http and https give punycode.
  const host = new URL(text.replace(/^ftp:/i, 'http:')).hostname.toLowerCase().replace(/\.$/, '');
  return isPublicHost(host) ? undefined : 'invalid';
}

function isPublicHost(host: string): boolean {
  const bare = host.replace(/^\[|\]$/g, '');
  // `process` also unwraps IPv4 addresses mapped into IPv6.
  if (ipaddr.isValid(bare)) return ipaddr.process(bare).range() === 'unicast';
  if (host.length > 253 || LOCAL_NAMES.test(host)) return false;
  const labels = host.split('.');
  return (
    labels.length > 1 &&
    labels.every((label) => LABEL.test(label)) &&
    TOP_LEVEL.test(labels.at(-1) ?? '')
  );
}

const FOUR = /^\d{4}$/;
const FIVE = /^\d{5}$/;
const SIX = /^\d{6}$/;

/** Formats that the shared validator lacks or has otherwise (Universal Postal Union, addressing data). */
const OWN_FORMATS: Record<string, RegExp> = {
  KY: /^KY[1-3]-\d{4}$/,
  MS: /^MSR\s?\d{4}$/,
  KN: /^KN\d{4}$/,
  LC: /^LC\d{2} {1,2}\d{3}$/,
  VC: /^VC\d{4}$/,
  WS: /^WS\d{4}$/,
  VG: /^VG\d{4}$/,
  BV: FOUR,
  LY: FIVE,
  SS: FIVE,
  TF: FIVE,
  TT: SIX,
};

/** Whether a postal code of this country (two letters) has a format to hold it against. */
export function hasPostalFormat(country: string): boolean {
  return country in OWN_FORMATS || postcodeValidatorExistsForCountry(country);
}

export type PostalIssue = 'required' | 'invalid' | 'noCountry';

/** Required only where the country's format is known; elsewhere anything goes. */
export function postalIssue(
  code: string,
  country: string | null | undefined,
): PostalIssue | undefined {
  const text = code.trim();
  if (!country) return 'noCountry';
  if (!hasPostalFormat(country)) return undefined;
  if (text === '') return 'required';
  const own = OWN_FORMATS[country];
  const isRight = own ? own.test(text.toUpperCase()) : postcodeValidator(text, country);
  return isRight ? undefined : 'invalid';
}
