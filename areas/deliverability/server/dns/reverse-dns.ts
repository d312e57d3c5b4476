// Checks forward-confirmed reverse DNS: the name of an IP address that sends email must resolve to
// the same IP address.
import type { Resolver } from 'node:dns/promises';
import { isIPv4 } from 'node:net';

const ABSENT = new Set(['ENOTFOUND', 'ENODATA', 'NXDOMAIN']);
const MAX_NAMES = 5;

async function readRecords(lookup: Promise<string[]>): Promise<string[] | undefined> {
  try {
    return await lookup;
  } catch (error) {
    return ABSENT.has((error as { code?: string }).code ?? '') ? [] : undefined;
  }
}

/** Returns the confirmed name, or '' if there is none; undefined without a definite response. */
export async function findConfirmedHost(
  resolver: Resolver,
  ip: string,
): Promise<string | undefined> {
  const names = await readRecords(resolver.resolvePtr(formatReverseName(ip)));
  if (names === undefined) return undefined;
  let isUnknown = false;
  for (const name of names.slice(0, MAX_NAMES)) {
    const addresses = await readRecords(
      isIPv4(ip) ? resolver.resolve4(name) : resolver.resolve6(name),
    );
    if (addresses === undefined) isUnknown = true;
    else if (addresses.some((address) => isSameAddress(address, ip))) return name.toLowerCase();
  }
  return isUnknown ? undefined : '';
}

/**
 * Returns the domain name under which the PTR records of an IP address are found. They are not read
 * with `resolver.reverse`, because it reports failures of the resolver as absence.
 */
function formatReverseName(ip: string): string {
  if (isIPv4(ip)) return `${ip.split('.').reverse().join('.')}.in-addr.arpa`;
  const nibbles = listGroups(ip).flatMap((group) => [...group.padStart(4, '0')]);
  return `${nibbles.reverse().join('.')}.ip6.arpa`;
}

/** Returns the eight groups of an IPv6 address. */
function listGroups(ip: string): string[] {
  const [head = '', tail] = new URL(`http://[${ip}]`).hostname.slice(1, -1).split('::');
  const [first, last] = [head, tail ?? ''].map((label) => label.split(':').filter(Boolean));
  const missing = 8 - (first?.length ?? 0) - (last?.length ?? 0);
  return [...(first ?? []), ...Array<string>(missing).fill('0'), ...(last ?? [])];
}

/** Compares normalized addresses, because an IPv6 address can be written in several forms. */
function isSameAddress(left: string, right: string): boolean {
  if (left === right) return true;
  if (isIPv4(left) || isIPv4(right)) return false;
  return new URL(`http://[${left}]`).hostname === new URL(`http://[${right}]`).hostname;
}
