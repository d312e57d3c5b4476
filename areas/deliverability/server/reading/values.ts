// Cleans values of reports, so that the database and the screens accept them.
import { isIP } from 'node:net';
import { domainToASCII } from 'node:url';
import ipaddr from 'ipaddr.js';
import { getDomain } from 'tldts';
import { MAX_TEXT_LENGTH } from './limits.ts';

const MAX_NAME_LENGTH = 200;
const HOST = /^[a-z0-9_-]{1,63}(\.[a-z0-9_-]{1,63})*$/;

/** Returns one line of at most 200 characters. */
export function parseName(text: string | undefined): string {
  return (text ?? '')
    .slice(0, MAX_TEXT_LENGTH)
    .replace(/[\p{C}\p{Z}]+/gu, ' ')
    .trim()
    .slice(0, MAX_NAME_LENGTH);
}

/** Returns a domain in its DNS form; empty for text that is not a domain. */
export function parseDomain(text: string | undefined): string {
  const normalized = (text ?? '').slice(0, MAX_TEXT_LENGTH).trim().toLowerCase().replace(/\.$/, '');
  if (normalized === '') return '';
  const ascii = HOST.test(normalized) ? normalized : domainToASCII(normalized);
  return ascii.length <= 253 && HOST.test(ascii) ? ascii : '';
}

/** Returns the registrable domain, because DMARC compares organizations (RFC 9989). */
export const getOrganizationalDomain = (domain: string): string =>
  getDomain(domain, { allowPrivateDomains: true }) ?? domain;

export const isWithin = (domain: string, parent: string): boolean =>
  domain === parent || domain.endsWith(`.${parent}`);

/**
 * Returns an IP address in canonical form, and IPv4-mapped IPv6 as IPv4; '' for text that is not an
 * address.
 */
export function parseAddress(text: string | undefined): string {
  const normalized = (text ?? '').slice(0, 100).trim();
  // A zone index is meaningful only on the machine that wrote it.
  if (isIP(normalized) === 0 || normalized.includes('%')) return '';
  return ipaddr.process(normalized).toString();
}

/** Returns the network that one sender usually controls: /24 for IPv4, or /48 for IPv6. */
export function getNetwork(address: string): string {
  if (address === '') return '';
  const ip = ipaddr.parse(address);
  const length = ip.kind() === 'ipv4' ? 24 : 48;
  const network =
    ip.kind() === 'ipv4'
      ? ipaddr.IPv4.networkAddressFromCIDR(`${address}/${length}`)
      : ipaddr.IPv6.networkAddressFromCIDR(`${address}/${length}`);
  return `${network.toString()}/${length}`;
}

/**
 * Returns seconds since 1970, also for milliseconds or ISO 8601; undefined for text that is not a
 * time.
 */
export function parseSeconds(text: string | undefined): number | undefined {
  const normalized = (text ?? '').slice(0, 100).trim();
  if (/^\d{1,16}(\.\d{1,9})?$/.test(normalized)) {
    const number = Math.floor(Number(normalized));
    return number > 100_000_000_000 ? Math.floor(number / 1000) : number;
  }
  const at = Date.parse(normalized);
  return Number.isNaN(at) ? undefined : Math.floor(at / 1000);
}
