// Queries blocklists and interprets their responses. An absent name is not listed, and only
// documented codes are listings. Every other response is unknown, such as a refusal of public
// resolvers, an exceeded limit, or a rewritten error.
import type { Resolver } from 'node:dns/promises';

export type Blocklist = {
  name: string;
  /** The name that the list uses for itself. */
  title: string;
  zone: string;
  subject: 'ip' | 'domain';
  /** Whether receivers refuse most email of a listed subject rather than some of it. */
  isBlocking: boolean;
  /** Test entries: one is listed by definition, the other is not (RFC 5782, section 5). */
  tests: { listed: string; clear: string };
  isListing: (code: readonly number[]) => boolean;
};

const IP_TESTS = { listed: '127.0.0.2', clear: '127.0.0.1' };
const matchesCodes =
  (third: number, ...last: number[]) =>
  (code: readonly number[]) =>
    code[1] === 0 && code[2] === third && last.includes(code[3] ?? 0);
/** The last octet of the response is a sum of these bits; 1 means that the query was refused. */
const matchesBits =
  (mask: number) =>
  ([, second, third, last = 0]: readonly number[]) =>
    second === 0 && third === 0 && last !== 0 && (last & ~mask) === 0;

/** Creates the Spamhaus lists. Commercial use requires a key of its query service. */
const createSpamhausLists = (key: string): Blocklist[] => [
  {
    ...{ name: 'spamhaus-zen', title: 'Spamhaus ZEN', zone: `${key}.zen.dq.spamhaus.net` },
    ...{ subject: 'ip', isBlocking: true, tests: IP_TESTS },
    isListing: matchesCodes(0, 2, 3, 4, 9, 10, 11),
  },
  {
    ...{ name: 'spamhaus-dbl', title: 'Spamhaus DBL', zone: `${key}.dbl.dq.spamhaus.net` },
    ...{ subject: 'domain', isBlocking: true },
    tests: { listed: 'dbltest.com', clear: 'example.com' },
    isListing: matchesCodes(1, 2, 4, 5, 6, 102, 103, 104, 105, 106),
  },
];

const FREE: readonly Blocklist[] = [
  {
    ...{ name: 'spamcop', title: 'SpamCop', zone: 'bl.spamcop.net' },
    ...{ subject: 'ip', isBlocking: false, tests: IP_TESTS },
    isListing: matchesCodes(0, 2),
  },
  {
    ...{ name: 'surbl', title: 'SURBL', zone: 'multi.surbl.org' },
    ...{ subject: 'domain', isBlocking: false },
    tests: { listed: 'test.surbl.org', clear: 'example.com' },
    isListing: matchesBits(8 | 16 | 64 | 128),
  },
  {
    ...{ name: 'uribl', title: 'URIBL', zone: 'multi.uribl.com' },
    ...{ subject: 'domain', isBlocking: false },
    tests: { listed: 'test.uribl.com', clear: 'example.com' },
    isListing: matchesBits(2 | 4 | 8),
  },
];

/** The operator of this list requires a registration of the resolver. */
const BARRACUDA: Blocklist = {
  ...{ name: 'barracuda', title: 'Barracuda', zone: 'b.barracudacentral.org' },
  ...{ subject: 'ip', isBlocking: true, tests: IP_TESTS },
  isListing: matchesCodes(0, 2),
};

export function listBlocklists(terms: {
  spamhausKey: string | undefined;
  isBarracudaRegistered: boolean;
}) {
  return [
    ...(terms.spamhausKey ? createSpamhausLists(terms.spamhausKey) : []),
    ...(terms.isBarracudaRegistered ? [BARRACUDA] : []),
    ...FREE,
  ];
}

/**
 * Returns the name to query; undefined for an IPv6 address, which these lists do not cover
 * reliably.
 */
export function formatQueryName({ zone, subject }: Blocklist, value: string): string | undefined {
  if (subject === 'domain') return `${value}.${zone}`;
  const numbers = value.split('.');
  return numbers.length === 4 ? `${numbers.reverse().join('.')}.${zone}` : undefined;
}

type Listing = { state: 'clear' | 'listed' | 'unknown'; code: string };

const UNKNOWN: Listing = { state: 'unknown', code: '' };

/** @param addresses the addresses, or undefined for a definite absence */
export function interpretListing(
  list: Blocklist,
  addresses: readonly string[] | undefined,
): Listing {
  if (addresses === undefined) return { state: 'clear', code: '' };
  const isListing = (address: string) => {
    const code = address.split('.').map(Number);
    return code.length === 4 && code[0] === 127 && list.isListing(code);
  };
  const code = addresses.find(isListing);
  return code === undefined ? UNKNOWN : { state: 'listed', code };
}

const ABSENT = new Set(['ENOTFOUND', 'ENODATA', 'NXDOMAIN']);

export async function queryList(
  resolver: Resolver,
  list: Blocklist,
  subject: string,
): Promise<Listing> {
  const name = formatQueryName(list, subject);
  if (name === undefined) return UNKNOWN;
  try {
    return interpretListing(list, await resolver.resolve4(name));
  } catch (error) {
    const isAbsent = ABSENT.has((error as { code?: string }).code ?? '');
    return isAbsent ? interpretListing(list, undefined) : UNKNOWN;
  }
}

/**
 * Returns whether the list's responses to this resolver are reliable. The list may refuse the
 * resolver, and a resolver may rewrite responses.
 */
export async function isUsable(resolver: Resolver, list: Blocklist): Promise<boolean> {
  const [listed, clear] = [
    await queryList(resolver, list, list.tests.listed),
    await queryList(resolver, list, list.tests.clear),
  ];
  return listed.state === 'listed' && clear.state === 'clear';
}
