// Mailbox providers of subscribers, determined by their domains' mail exchangers from a local DNS
// server.
import { sql } from 'kysely';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { createResolver } from '#areas/domains/server/index.ts';
import { FIRST_HOST, MAILBOXES } from '#areas/subscribers/shared.ts';
import { recordHardBounces } from '#areas/tracking/server/index.ts';
import { clock } from '#platform/server/clock.ts';
import { inTransaction } from '#platform/server/database/database.ts';
import { type TestDns, testDns } from '#testing/servers/dns-server.ts';
import { type TestServer, testServer } from '#testing/setup/server.ts';
import { addPeople, startMessage } from '#testing/worlds/sending-helpers.ts';
import { MAILBOX_TITLES } from '../../shared.ts';
import { assignHosts } from './assign.ts';

let server: TestServer;
let dns: TestDns;
const neverAborted = new AbortController().signal;

beforeAll(async () => {
  server = await testServer();
  dns = await testDns();
  dns.zone.set('office.no', { MX: ['10 office-no.mail.protection.outlook.com'] });
  dns.zone.set('secure.no', { MX: ['10 secure-no.o-v1.mx.microsoft'] });
  dns.zone.set('team.no', { MX: ['20 alt1.aspmx.l.google.com', '10 smtp.google.com'] });
  dns.zone.set('own.no', { MX: ['10 mx.own.no'] });
});
beforeEach(() => {
  clock.freeze(new Date('2026-06-10T12:00:00Z'));
  return () => clock.reset();
});
afterAll(() => dns.close());

async function shop(domains: readonly string[]) {
  const owner = await server.owner();
  const { accountId } = owner;
  const subscriberIds = await addPeople(server.db, accountId, domains.length, domains);
  const assign = (signal = neverAborted, address = dns.address) =>
    assignHosts(server.db, accountId, createResolver([address]), signal);
  const mailboxes = async () => {
    const { rows } = await sql<{ domain: string; mailbox: number }>`
      select split_part(email, '@', 2) as domain, mailbox from subscribers
      where account_id = ${accountId} order by 1`.execute(server.db);
    return Object.fromEntries(rows.map((row) => [row.domain, row.mailbox]));
  };
  return { owner, accountId, people: subscriberIds, assign, mailboxes };
}

test('subscribers are assigned to the host of their domain, and reassigned a week later if the domain has moved', async () => {
  const domains = ['gmail.com', 'office.no', 'secure.no', 'team.no', 'own.no', 'gone.no'];
  const { assign, mailboxes } = await shop(domains);
  await assign();
  const expectedMailboxes = {
    ...{ 'gmail.com': MAILBOXES.gmail, 'office.no': MAILBOXES.microsoft365 },
    ...{ 'secure.no': MAILBOXES.microsoft365, 'team.no': MAILBOXES.workspace },
    ...{ 'own.no': MAILBOXES.other, 'gone.no': MAILBOXES.other },
  };
  expect(await mailboxes()).toEqual(expectedMailboxes);
  dns.zone.set('team.no', { MX: ['10 mx.own.no'] });
  // Lookups are stored for seven days, so the next runs do not notice the move.
  await assign();
  clock.advance(2 * 86_400_000);
  await assign();
  expect(await mailboxes()).toEqual(expectedMailboxes);
  clock.advance(7 * 86_400_000);
  await assign();
  expect(await mailboxes()).toEqual({ ...expectedMailboxes, 'team.no': MAILBOXES.other });
  // An unresponsive domain remains assigned to its host.
  clock.advance(9 * 86_400_000);
  await assign(neverAborted, '127.0.0.1:1');
  expect(await mailboxes()).toEqual({ ...expectedMailboxes, 'team.no': MAILBOXES.other });
});

test('a run that exceeds its time limit assigns the domains already looked up, and the next run continues', async () => {
  const domains = Array.from({ length: 55 }, (_, index) => `late${index}.no`);
  for (const domain of domains) {
    dns.zone.set(domain, { MX: ['10 smtp.google.com'] });
  }
  const { accountId, assign, mailboxes } = await shop(domains);
  const countAssigned = async () =>
    Object.values(await mailboxes()).filter((mailbox) => mailbox === MAILBOXES.workspace).length;
  const { address } = dns;
  // The second batch of 25 and the pause take half a second.
  await assignHosts(server.db, accountId, createResolver([address]), neverAborted, 250);
  expect(await countAssigned()).toBe(50);
  await assign();
  expect(await countAssigned()).toBe(55);
});

test('an aborted run assigns nothing, the next run assigns the domains, and no run changes another account', async () => {
  const { assign, mailboxes } = await shop(['office.no']);
  const otherShop = await shop(['office.no']);
  await assign(AbortSignal.abort());
  expect(await mailboxes()).toEqual({ 'office.no': MAILBOXES.other });
  await assign();
  expect(await mailboxes()).toEqual({ 'office.no': MAILBOXES.microsoft365 });
  expect(await otherShop.mailboxes()).toEqual({ 'office.no': MAILBOXES.other });
});

test('bounces are counted at the host of their address, and each host has a name', async () => {
  const { accountId, people: subscriberIds, assign } = await shop(['office.no']);
  await assign();
  const messageId = await startMessage(server.db, accountId);
  await inTransaction(server.db, (tx) =>
    recordHardBounces(
      tx,
      accountId,
      subscriberIds.map((subscriberId) => ({ messageId, subscriberId, at: clock.now() })),
    ),
  );
  const { rows } = await sql<{ mailbox: number; hard: number }>`
    select mailbox, hard from setback_counts where account_id = ${accountId}`.execute(server.db);
  expect(rows).toEqual([{ mailbox: MAILBOXES.microsoft365, hard: 1 }]);
  const hosts = Object.entries(MAILBOXES).filter(([, number]) => number >= FIRST_HOST);
  expect(hosts.every(([name]) => name in MAILBOX_TITLES)).toBe(true);
});
