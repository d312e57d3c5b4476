// Mail exchangers of domains, looked up on a local DNS server.
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { clock } from '#platform/server/clock.ts';
import { type TestDns, testDns } from '#testing/servers/dns-server.ts';
import { type TestServer, testServer } from '#testing/setup/server.ts';
import { createResolver } from './dns-check.ts';
import { resolveMailHosts, mailHostsPoller } from './exchangers.ts';

let server: TestServer;
let dns: TestDns;

beforeAll(async () => {
  server = await testServer();
  dns = await testDns();
});
beforeEach(() => {
  clock.reset();
  dns.isSilent = false;
});
afterAll(() => dns.close());

const hostsOf = (...domains: string[]) =>
  resolveMailHosts(server.db, createResolver([dns.address]), domains);

test('a domain accepts email at its exchangers or addresses, and accepts none if it has a null MX', async () => {
  dns.zone.set('firm.no', { MX: ['20 backup.firm.no', '10 firm-no.mail.protection.outlook.com'] });
  dns.zone.set('plain.no', { A: ['192.0.2.9'] });
  dns.zone.set('none.no', { MX: ['0 .'], A: ['192.0.2.9'] });
  dns.zone.set('text.no', { TXT: ['v=spf1 -all'] });
  dns.zone.set('xn--blbr-roah.no', { MX: ['10 mx.firm.no'] });
  const hosts = await hostsOf('firm.no', 'plain.no', 'none.no', 'text.no', 'gone.no', 'blåbær.no');
  expect(Object.fromEntries(hosts)).toEqual({
    'firm.no': { acceptsEmail: true, host: 'outlook.com' },
    'plain.no': { acceptsEmail: true, host: 'plain.no' },
    'none.no': { acceptsEmail: false, host: '' },
    'text.no': { acceptsEmail: false, host: '' },
    'gone.no': { acceptsEmail: false, host: '' },
    'blåbær.no': { acceptsEmail: true, host: 'firm.no' },
  });
});

test('a domain with unresponsive DNS servers is looked up again after a day', async () => {
  const [slow, quick] = ['slow.no', 'quick.no'];
  dns.zone.set(quick, { MX: ['10 mx.quick.no'] });
  dns.isSilent = true;
  expect((await hostsOf(slow)).size).toBe(0);
  dns.isSilent = false;
  dns.zone.set(slow, { MX: ['10 mx.slow.no'] });
  clock.advance(23 * 3_600_000);
  expect([...(await hostsOf(slow, quick)).keys()]).toEqual([quick]);
  clock.advance(2 * 3_600_000);
  expect((await hostsOf(slow)).get(slow)).toEqual({ acceptsEmail: true, host: 'slow.no' });
  // A later timeout replaces the stored result, which has expired by then.
  clock.advance(8 * 86_400_000);
  dns.isSilent = true;
  expect((await hostsOf(slow)).size).toBe(0);
  dns.isSilent = false;
  expect((await hostsOf(slow)).size).toBe(0);
}, 30_000);

test('if the lookups of several domains all time out, they are repeated without a delay, because the resolver may be down', async () => {
  const names = ['first.no', 'second.no'];
  for (const name of names) dns.zone.set(name, { MX: [`10 mx.${name}`] });
  dns.isSilent = true;
  expect((await hostsOf(...names)).size).toBe(0);
  dns.isSilent = false;
  expect([...(await hostsOf(...names)).keys()]).toEqual(names);
}, 30_000);

test('reserved and unresponsive domains have no result, and stored results expire', async () => {
  dns.zone.set('stored.no', { MX: ['10 mx.stored.no'] });
  await hostsOf('stored.no');
  dns.isSilent = true;
  const resolver = createResolver(['127.0.0.1:1']);
  const foundHosts = () =>
    resolveMailHosts(server.db, resolver, ['stored.no', 'new.no', 'tea.example', '']);
  expect([...(await foundHosts()).keys()]).toEqual(['stored.no']);
  clock.advance(8 * 86_400_000);
  expect((await foundHosts()).size).toBe(0);
  await mailHostsPoller.run(server.db, new AbortController().signal);
  const rows = await server.db.selectFrom('mail_hosts').select('domain').execute();
  expect(rows.map(({ domain }) => domain)).not.toContain('stored.no');
});
