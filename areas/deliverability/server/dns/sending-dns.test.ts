// Blocklists and reverse names, queried from a local DNS server.
import fc from 'fast-check';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { createResolver } from '#areas/domains/server/index.ts';
import { clock } from '#platform/server/clock.ts';
import { type TestDns, testDns } from '#testing/servers/dns-server.ts';
import { type TestServer, testServer } from '#testing/setup/server.ts';
import { type Blocklist, listBlocklists, interpretListing, formatQueryName } from './blocklists.ts';
import { checkSending } from './check-sending.ts';
import { findConfirmedHost } from './reverse-dns.ts';
import { readSendingState } from './sending-state.ts';
import { saveSendingIps } from './sending-dns.sql.ts';

let server: TestServer;
let dns: TestDns;

beforeAll(async () => {
  server = await testServer();
  dns = await testDns();
});
beforeEach(() => {
  clock.reset();
  dns.zone.clear();
});
afterAll(() => dns.close());

const ALL_LISTS = listBlocklists({ spamhausKey: 'key4567890', isBarracudaRegistered: true });
const listNamed = (name: string) => ALL_LISTS.find((list) => list.name === name) as Blocklist;
const resolver = () => createResolver([dns.address]);
const A = (name: string, ...addresses: string[]) => dns.zone.set(name, { A: addresses });

/** Adds the test entry that a working list always lists. */
function addTestEntry(list: Blocklist, code: string): void {
  A(formatQueryName(list, list.tests.listed) as string, code);
}

describe('responses of blocklists', () => {
  test.each([
    ['spamhaus-zen', ['127.0.0.2'], 'listed'],
    ['spamhaus-zen', ['127.0.0.10', '127.0.0.4'], 'listed'],
    ['spamhaus-zen', ['127.255.255.254'], 'unknown'],
    ['spamhaus-zen', ['127.0.0.1'], 'unknown'],
    ['spamhaus-zen', ['192.0.2.7'], 'unknown'],
    ['spamhaus-dbl', ['127.0.1.2'], 'listed'],
    ['spamhaus-dbl', ['127.0.1.255'], 'unknown'],
    ['spamcop', ['127.0.0.2'], 'listed'],
    ['surbl', ['127.0.0.80'], 'listed'],
    ['surbl', ['127.0.0.1'], 'unknown'],
    ['uribl', ['127.0.0.2'], 'listed'],
    ['uribl', ['127.0.0.255'], 'unknown'],
    ['barracuda', [], 'unknown'],
    ['barracuda', undefined, 'clear'],
  ] as const)('the answer of %s with the addresses %j means %s', (name, answers, state) => {
    expect(interpretListing(listNamed(name), answers).state).toBe(state);
  });

  test('only addresses in 127/8 can be listings', () => {
    fc.assert(
      fc.property(fc.constantFrom(...ALL_LISTS), fc.ipV4(), (list, address) => {
        const { state } = interpretListing(list, [address]);
        expect(state === 'listed' && !address.startsWith('127.')).toBe(false);
      }),
      { seed: 1 },
    );
  });

  test('lists that require a key or a registration are omitted without it', () => {
    const names = listBlocklists({ spamhausKey: undefined, isBarracudaRegistered: false });
    expect(names.map(({ name }) => name)).toEqual(['spamcop', 'surbl', 'uribl']);
  });

  test('an IPv4 address is queried in reverse, and an IPv6 address is not queried', () => {
    expect(formatQueryName(listNamed('spamcop'), '192.0.2.7')).toBe('7.2.0.192.bl.spamcop.net');
    expect(formatQueryName(listNamed('spamcop'), '2001:db8::1')).toBeUndefined();
    expect(formatQueryName(listNamed('surbl'), 'tea.shop')).toBe('tea.shop.multi.surbl.org');
  });
});

test('a reverse name counts only if it resolves to the address again', async () => {
  dns.zone.set('7.2.0.192.in-addr.arpa', { PTR: ['mx.tea.shop'] });
  A('mx.tea.shop', '192.0.2.8', '192.0.2.7');
  dns.zone.set('9.2.0.192.in-addr.arpa', { PTR: ['mx.tea.shop'] });
  expect(await findConfirmedHost(resolver(), '192.0.2.7')).toBe('mx.tea.shop');
  expect(await findConfirmedHost(resolver(), '192.0.2.9')).toBe('');
  expect(await findConfirmedHost(resolver(), '192.0.2.10')).toBe('');
  const ip6 = `${'0.'.repeat(22)}8.b.d.0.1.0.0.2.ip6.arpa`;
  dns.zone.set(`1.0.${ip6}`, { PTR: ['mx.tea.shop'] });
  // The name has no IPv6 address.
  expect(await findConfirmedHost(resolver(), '2001:db8::1')).toBe('');
  expect(await findConfirmedHost(createResolver(['127.0.0.1:1']), '192.0.2.7')).toBeUndefined();
});

test('a listing requires two positive responses of a usable list, ten minutes apart', async () => {
  const { accountId } = await server.owner();
  const spamcop = listNamed('spamcop');
  const zen = listNamed('spamhaus-zen');
  const hosts = { trackingHost: 'app.loom.shop', bounceHost: 'loom.shop', receivesReports: true };
  const checks = { resolver: resolver(), lists: [spamcop, zen], hosts, pauseMs: 0 };
  const ownIps = ['192.0.2.7'];
  const run = () => checkSending(server.db, { ...checks, ownIps }, new AbortController().signal);
  const readState = async (ips = ownIps) => {
    const lists = { lists: [spamcop, zen], ownIps: ips };
    const domain = { id: 0, domain: 'tea.shop' };
    return readSendingState(server.db, accountId, domain, lists);
  };
  // 192.0.2.8 resolves to the installation's name, and 198.51.100.9 to a provider's.
  await saveSendingIps(server.db, ['192.0.2.8', '198.51.100.9'], clock.now());
  for (const [ip, name] of [
    ['192.0.2.7', 'mx1.loom.shop'],
    ['192.0.2.8', 'mx2.loom.shop'],
    ['198.51.100.9', 'o1.provider.net'],
  ] as const) {
    dns.zone.set(`${ip.split('.').reverse().join('.')}.in-addr.arpa`, { PTR: [name] });
    A(name, ip);
    A(formatQueryName(spamcop, ip) as string, '127.0.0.2');
    // Every query of this list gets a positive response, as from a resolver that rewrites
    // responses.
    A(formatQueryName(zen, ip) as string, '127.0.0.2');
  }
  addTestEntry(spamcop, '127.0.0.2');
  addTestEntry(zen, '127.0.0.2');
  A(formatQueryName(zen, zen.tests.clear) as string, '127.0.0.2');
  await run();
  expect(await readState()).toMatchObject({
    isReverseConfirmed: true,
    blocklists: [{ list: 'SpamCop', subject: '192.0.2.7', state: 'unknown' }],
  });
  await run();
  expect((await readState()).blocklists[0]?.state).toBe('unknown');
  const since = clock.now();
  clock.freeze(new Date(since.getTime() + 11 * 60_000));
  await run();
  const listedStates = await readState(['192.0.2.7', '192.0.2.8', '198.51.100.9']);
  expect(listedStates.blocklists).toMatchObject([
    { list: 'SpamCop', subject: '192.0.2.7', state: 'listed', is_blocking: false },
    { list: 'SpamCop', subject: '192.0.2.8', state: 'listed' },
  ]);
  // A refusal does not end a listing, but an absent record does.
  clock.freeze(new Date(since.getTime() + 25 * 3_600_000));
  A(formatQueryName(spamcop, '192.0.2.7') as string, '127.0.0.1');
  dns.zone.delete(formatQueryName(spamcop, '192.0.2.8') as string);
  await run();
  const statesAfter = await readState(['192.0.2.7', '192.0.2.8']);
  expect(statesAfter.blocklists.map((list) => list.state)).toEqual(['listed', 'clear']);
});
