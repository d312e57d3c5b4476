// Warm-ups over HTTP with real sends: the cap of each day, engaged subscribers first, and the rest
// on the next days.
import { sql } from 'kysely';
import { afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { clock } from '#platform/server/clock.ts';
import { inTransaction } from '#platform/server/database/database.ts';
import { checkInvariant } from '#testing/oracles/invariants.ts';
import {
  addPeople,
  isFinished,
  startMessage,
  waitForDelivery,
} from '#testing/worlds/sending-helpers.ts';
import { startTestSender } from '#testing/worlds/sender.ts';
import { type TestServer, testServer } from '#testing/setup/server.ts';
import { startSmtpServer, type TestSmtpServer } from '#testing/servers/smtp-server.ts';
import { computeWarmUpCaps } from '../../relay-limits.ts';
import type { MessageDelivery } from '../ledger/index.ts';
import { listWarmUps } from './warm-up-plans.ts';

const URL_ = '/client-api/api/warm_ups';
const DAY_MS = 86_400_000;
let server: TestServer;
let relay: TestSmtpServer;

beforeAll(async () => {
  server = await testServer();
});

beforeEach(async () => {
  relay = await startSmtpServer();
  return () => relay.close();
});

afterEach(() => clock.reset());

async function addDomain(accountId: number, domain = 'tea.example'): Promise<void> {
  const at = clock.now();
  // The system emails to the owner are not part of these tests.
  await sql`delete from single_sends where account_id = ${accountId}`.execute(server.db);
  await sql`insert into domains (account_id, domain, email, email_verified_at, dns_verified_at,
      created_at, modified_at)
    values (${accountId}, ${domain}, ${`news@${domain}`}, ${at}, ${at}, ${at}, ${at})`.execute(
    server.db,
  );
}

const isWarmingUp = (delivery: MessageDelivery) =>
  delivery.state === 'waiting' && delivery.held > 0 && delivery.counts.handing_over === 0;

describe('a domain in warm-up', () => {
  test("a warm-up sends the day's cap, engaged subscribers first, and the rest on the next days", async () => {
    const owner = await server.owner();
    const { accountId } = owner;
    await addDomain(accountId);
    const ids = await addPeople(server.db, accountId, 150);
    const at = clock.now();
    // All subscribed long ago, and the last forty are engaged.
    await sql`update subscribers set created_at = ${new Date(at.getTime() - 200 * DAY_MS)}
      where account_id = ${accountId}`.execute(server.db);
    await sql`insert into activity (account_id, subscriber_id, last_human_open_at)
      select ${accountId}::bigint, id, ${at} from unnest(${ids.slice(110)}::bigint[]) id`.execute(
      server.db,
    );
    const response = await owner.post(URL_, { domain: 'tea.example', target: 1_000 });
    expect(response.body.data).toMatchObject({ state: 'running', day: 1, cap: 50, used: 0 });
    const messageId = await startMessage(server.db, accountId);
    await server.runJobs();
    startTestSender(server.db, relay.url);

    const delivery = await waitForDelivery(server.db, accountId, messageId, isWarmingUp);
    expect(delivery).toMatchObject({
      reason: 'warm_up',
      held: 100,
      counts: { accepted: 50, pending: 100, handing_over: 0 },
    });
    const recipientsBefore = new Set(
      relay.accepted.map((receivedMessage) => receivedMessage.to[0]),
    );
    for (let n = 111; n <= 150; n++) {
      const domain = ['gmail.com', 'outlook.com', 'home.example'][(n - 1) % 3];
      expect(recipientsBefore).toContain(`person${n}@${domain}`);
    }
    expect((await owner.get(URL_)).body.data[0]).toMatchObject({ day: 1, used: 50, cap: 50 });

    clock.advance(DAY_MS + 1_000);
    const second = await waitForDelivery(
      server.db,
      accountId,
      messageId,
      (delivery) => isWarmingUp(delivery) && delivery.counts.accepted > 50,
    );
    expect(second.counts).toMatchObject({ accepted: 130, pending: 20 });
    clock.advance(DAY_MS + 1_000);
    await waitForDelivery(server.db, accountId, messageId, isFinished);
    const invariant = await checkInvariant(
      server.db,
      accountId,
      messageId,
      relay.accepted.map((receivedMessage) => receivedMessage.messageId),
    );
    expect(invariant).toEqual({ states: { accepted: 150 }, problems: [] });
    // The owner's session has now expired.
    const [plan] = await inTransaction(server.db, (tx) => listWarmUps(tx, accountId));
    expect(plan).toMatchObject({ day: 3, used: 20, sent: [50, 80, 20] });
  });

  test('a warm-up ended by its owner sends the waiting copies immediately', async () => {
    const owner = await server.owner();
    await addDomain(owner.accountId);
    await addPeople(server.db, owner.accountId, 80);
    await owner.post(URL_, { domain: 'tea.example', target: 500 });
    const messageId = await startMessage(server.db, owner.accountId);
    await server.runJobs();
    startTestSender(server.db, relay.url);
    await waitForDelivery(server.db, owner.accountId, messageId, isWarmingUp);
    const response = await owner.post(`${URL_}/end`, { domain: 'tea.example' });
    expect(response.body.data).toMatchObject({ state: 'ended', cap: null });
    await waitForDelivery(server.db, owner.accountId, messageId, isFinished);
    expect(relay.accepted).toHaveLength(80);
  });

  test('two campaigns share the cap, and two senders respect it', async () => {
    const owner = await server.owner();
    await addDomain(owner.accountId);
    await addPeople(server.db, owner.accountId, 60);
    await owner.post(URL_, { domain: 'tea.example', target: 500 });
    const firstMessage = await startMessage(server.db, owner.accountId);
    const second = await startMessage(server.db, owner.accountId);
    await server.runJobs();
    startTestSender(server.db, relay.url);
    startTestSender(server.db, relay.url);
    for (const id of [firstMessage, second]) {
      await waitForDelivery(server.db, owner.accountId, id, isWarmingUp);
    }
    expect(relay.accepted).toHaveLength(50);
  });

  test("a warm-up of another account's domain is refused", async () => {
    const owner = await server.owner();
    const outsider = await server.owner();
    await addDomain(owner.accountId, 'own.example');
    const body = { domain: 'own.example', target: 1_000 };
    expect((await outsider.post(URL_, body)).status).toBe(422);
    expect((await owner.post(URL_, body)).status).toBe(200);
    expect((await outsider.get(URL_)).body.data).toEqual([]);
    expect((await outsider.post(`${URL_}/end`, { domain: 'own.example' })).status).toBe(422);
    expect((await owner.get(URL_)).body.data[0]).toMatchObject({ state: 'running' });
  });

  test('a warm-up is suggested for a new domain', async () => {
    const owner = await server.owner();
    await addDomain(owner.accountId, 'new.example');
    const list = await owner.get(URL_);
    expect(list.body.data).toMatchObject([{ domain: 'new.example', state: 'suggested' }]);
  });
});

test('a plan grows to its target, by less than 70 % a day', () => {
  expect(computeWarmUpCaps(1_000)).toEqual([50, 80, 130, 200, 330, 520, 840, 1_000]);
  for (const target of [50, 700, 25_000, 10_000_000]) {
    const caps = computeWarmUpCaps(target);
    expect(caps.at(-1)).toBe(target);
    for (let day = 1; day < caps.length; day++) {
      expect((caps[day] as number) / (caps[day - 1] as number)).toBeLessThan(1.7);
    }
  }
});
