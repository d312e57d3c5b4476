// Country of an IP address, from the registries' public lists (package
// @ip-location-db/geo-whois-asn-country, CC0). No lookup leaves the machine, and nothing more
// precise than the country is known.
import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { setImmediate as turnEnd } from 'node:timers/promises';
import ipaddr from 'ipaddr.js';
import { log } from './log.ts';

const PACKAGE = '@ip-location-db/geo-whois-asn-country';
const LINES_PER_BATCH = 20_000;

type AddressRanges = {
  starts: Uint32Array | BigUint64Array;
  ends: Uint32Array | BigUint64Array;
  /** Two letters encoded in one number. */
  countries: Uint16Array;
};

type Lists = { v4: AddressRanges; v6: AddressRanges };

let loading: Promise<Lists> | undefined;

/**
 * Finds the country (ISO 3166-1, two letters) of each address; private and unknown addresses are
 * absent. While the lists are unreadable, all are absent and events are recorded without a country.
 */
export async function findCountries(addresses: Iterable<string>): Promise<Map<string, string>> {
  const countryByAddress = new Map<string, string>();
  for (const address of new Set(addresses)) {
    const parsed = publicAddress(address);
    if (!parsed) continue;
    const lists = await listsOf();
    if (!lists) return countryByAddress;
    const { v4, v6 } = lists;
    const country =
      parsed.kind() === 'ipv4'
        ? findCountry(v4, numberOf(parsed.toByteArray()))
        : findCountry(v6, networkOf(parsed.toByteArray()));
    if (country) countryByAddress.set(address, country);
  }
  return countryByAddress;
}

/** Loads the lists once; after a failure, the next call retries. */
async function listsOf(): Promise<Lists | undefined> {
  const reading = (loading ??= load());
  try {
    return await reading;
  } catch (error) {
    if (loading === reading) loading = undefined;
    log.warn('Could not read the country lists', { reason: String(error) });
    return undefined;
  }
}

function publicAddress(address: string): ipaddr.IPv4 | ipaddr.IPv6 | undefined {
  if (!ipaddr.isValid(address)) return undefined;
  const parsed = ipaddr.process(address);
  return parsed.range() === 'unicast' ? parsed : undefined;
}

const numberOf = (bytes: readonly number[]) => Buffer.from(bytes).readUInt32BE();
/** The first half of an IPv6 address: allocations are at least a /64. */
const networkOf = (bytes: readonly number[]) => Buffer.from(bytes).readBigUInt64BE();

function findCountry(ranges: AddressRanges, address: number | bigint): string | undefined {
  const { starts, ends, countries } = ranges;
  let low = 0;
  let high = starts.length - 1;
  while (low <= high) {
    const middle = (low + high) >>> 1;
    if ((starts[middle] as number | bigint) <= address) low = middle + 1;
    else high = middle - 1;
  }
  if (high < 0 || (ends[high] as number | bigint) < address) return undefined;
  const code = countries[high] as number;
  return String.fromCharCode(code >> 8, code & 255);
}

async function load(): Promise<Lists> {
  const v4 = await readRanges('geo-whois-asn-country-ipv4-num.csv', (count) => ({
    starts: new Uint32Array(count),
    ends: new Uint32Array(count),
    countries: new Uint16Array(count),
  }));
  const v6 = await readRanges('geo-whois-asn-country-ipv6-num.csv', (count) => ({
    starts: new BigUint64Array(count),
    ends: new BigUint64Array(count),
    countries: new Uint16Array(count),
  }));
  return { v4, v6 };
}

/**
 * Parses half a million lines and yields to the event loop in between. Otherwise parsing would
 * block it for half a second.
 */
async function readRanges(
  name: string,
  make: (count: number) => AddressRanges,
): Promise<AddressRanges> {
  const path = createRequire(import.meta.url).resolve(`${PACKAGE}/${name}`);
  const lines = (await readFile(path, 'latin1')).trimEnd().split('\n');
  const ranges = make(lines.length);
  for (const [at, line] of lines.entries()) {
    if (at % LINES_PER_BATCH === 0) await turnEnd();
    const [start = '', end = '', country = ''] = line.split(',');
    if (ranges.starts instanceof Uint32Array) {
      ranges.starts[at] = Number(start);
      ranges.ends[at] = Number(end);
    } else {
      ranges.starts[at] = BigInt(start) >> 64n;
      ranges.ends[at] = BigInt(end) >> 64n;
    }
    ranges.countries[at] = (country.charCodeAt(0) << 8) | country.charCodeAt(1);
  }
  return ranges;
}
