// Senders of accounts with their own relays: an account that gets its first relay, a relay that
// cannot be opened, and the senders that new work wakes.
import { sql } from 'kysely';
import { beforeEach, expect, onTestFinished, test, vi } from 'vitest';
import { relayKinds } from '#main/relays.ts';
import { loadConfig } from '#platform/server/config.ts';
import { clock } from '#platform/server/clock.ts';
import { getPool } from '#platform/server/database/database.ts';
import { allowPrivateAddresses } from '#platform/server/outgoing/outgoing-address.ts';
import { openSmtpRelay, parseSmtpUrl } from '#providers/smtp/index.ts';
import { checkInvariant } from '#testing/oracles/invariants.ts';
import {
  addPeople,
  isFinished,
  startMessage,
  waitForDelivery,
} from '#testing/worlds/sending-helpers.ts';
import { relaySettings } from '#testing/worlds/relay-settings.ts';
import { type TestServer, testServer } from '#testing/setup/server.ts';
import { startSmtpServer, type TestSmtpServer } from '#testing/servers/smtp-server.ts';
import type { MessageDelivery } from '../ledger/index.ts';
import { openPool, type RelayKinds, runSender, runSenders, soleRelay } from './index.ts';
import { listAccountsWithOwnWork } from '../relays/relays.sql.ts';

const URL_ = '/client-api/api/relays';
const server: TestServer = await testServer();
let sharedRelay: TestSmtpServer;
let ownRelay: TestSmtpServer;

beforeEach(async () => {
  allowPrivateAddresses(true);
  sharedRelay = await startSmtpServer();
  ownRelay = await startSmtpServer();
  return async () => {
    await sql`update messages set state = 'cancelled'`.execute(server.db);
    for (const relay of [sharedRelay, ownRelay]) await relay.close();
  };
});

function startSenders(kinds: RelayKinds = relayKinds(loadConfig({}))): void {
  const options = parseSmtpUrl(`${sharedRelay.url}?tls=none&connections=2&rate=300`);
  const sole = soleRelay('shared', (source) => openSmtpRelay(options, source));
  const senders = runSenders(server.db, openPool(server.db, [sole]), kinds);
  onTestFinished(() => senders.close());
}

async function startCampaign(accountId: number, recipientCount: number): Promise<number> {
  await sql`delete from single_sends where account_id = ${accountId}`.execute(server.db);
  await addPeople(server.db, accountId, recipientCount);
  const messageId = await startMessage(server.db, accountId);
  await server.runJobs();
  return messageId;
}

test('a running campaign continues through a newly added relay of its account', async () => {
  const owner = await server.owner();
  const { accountId } = owner;
  const messageId = await startCampaign(accountId, 3_000);
  startSenders();
  await sharedRelay.waitForMessages(100);
  const response = await owner.post(URL_, relaySettings(ownRelay.port));
  expect(response.status, response.text).toBe(200);
  await new Promise((resolve) => setTimeout(resolve, 2_000));
  const acceptedBefore = sharedRelay.accepted.length;
  expect(acceptedBefore).toBeLessThan(2_000);
  await waitForDelivery(server.db, accountId, messageId, isFinished);
  expect(sharedRelay.accepted.length).toBe(acceptedBefore);
  const ids = [sharedRelay, ownRelay].flatMap((relay) =>
    relay.accepted.map(({ messageId: id }) => id),
  );
  const invariant = await checkInvariant(server.db, accountId, messageId, ids);
  expect(invariant).toEqual({ states: { accepted: 3_000 }, problems: [] });
});

test('a campaign waits while the relay of its account cannot be opened, and is sent once the relay is changed', async () => {
  const owner = await server.owner();
  const { accountId } = owner;
  const response = await owner.post(URL_, relaySettings(ownRelay.port));
  expect(response.status, response.text).toBe(200);
  const relayUrl = `${URL_}/${response.body.data.id}`;
  const kinds = relayKinds(loadConfig({}));
  let isOpen = false;
  let attemptCount = 0;
  const openRelay: RelayKinds['smtp']['open'] = (smtpOptions) => {
    attemptCount++;
    if (!isOpen) throw new Error('Its password cannot be read.');
    return kinds.smtp.open(smtpOptions);
  };
  const messageId = await startCampaign(accountId, 40);
  startSenders({ ...kinds, smtp: { ...kinds.smtp, open: openRelay } });
  const isWaiting = (delivery: MessageDelivery) => delivery.state === 'waiting';
  const waiting = await waitForDelivery(server.db, accountId, messageId, isWaiting, 8_000);
  const details = { reply: 'Its password cannot be read.' };
  expect(waiting).toMatchObject({ reason: 'relay_unreachable', details });
  const { health } = (await owner.get(relayUrl)).body.data;
  expect(health).toMatchObject({ state: 'refused', reply: details.reply });
  await new Promise((resolve) => setTimeout(resolve, 2_500));
  expect((await owner.get(relayUrl)).body.data.health.at).toBe(health.at);
  expect(attemptCount).toBe(1);
  isOpen = true;
  await owner.patch(relayUrl, { title: 'Our relay, mended' });
  const delivery = await waitForDelivery(server.db, accountId, messageId, isFinished);
  expect(delivery.counts.accepted).toBe(40);
  expect(ownRelay.accepted).toHaveLength(40);
});

test('the sender of one account is woken by new work of that account or of all accounts, but not of another account', async () => {
  const ownRelayAccount = (await server.owner()).accountId;
  const otherAccount = (await server.owner()).accountId;
  const options = parseSmtpUrl(`${ownRelay.url}?tls=none&connections=1`);
  const sole = soleRelay('woken', (source) => openSmtpRelay(options, source));
  const sender = runSender(server.db, openPool(server.db, [sole]), {
    channel: 'email',
    accountId: ownRelayAccount,
  });
  onTestFinished(() => sender.close());
  const pool = getPool(server.db);
  const client = await pool.connect();
  onTestFinished(() => client.release());
  const connect = vi.spyOn(pool, 'connect');
  onTestFinished(() => connect.mockRestore());
  /** Counts the connections that polls take during 40 notifications within a second. */
  const whileNotifying = async (accountId: number) => {
    const connectionsBefore = connect.mock.calls.length;
    for (let i = 0; i < 40; i++) {
      await client.query(`select pg_notify('sendloom_delivery', '${accountId}')`);
      await new Promise((resolve) => setTimeout(resolve, 25));
    }
    return connect.mock.calls.length - connectionsBefore;
  };
  await new Promise((resolve) => setTimeout(resolve, 500));
  const forOtherAccount = await whileNotifying(otherAccount);
  const forOwnAccount = await whileNotifying(ownRelayAccount);
  const forAllAccounts = await whileNotifying(0);
  // Without a wake-up, the sender polls once a second.
  expect(forOtherAccount).toBeLessThan(25);
  expect(forOwnAccount).toBeGreaterThan(2 * forOtherAccount);
  expect(forAllAccounts).toBeGreaterThan(2 * forOtherAccount);
  // Each notification polls single sends; everything else is polled about ten times a second.
  expect(forOwnAccount).toBeLessThan(100);
});

test('an account with a relay and an email to send has work, and an account with neither has none', async () => {
  const { accountId: without } = await server.owner();
  const owner = await server.owner();
  const { accountId } = owner;
  const response = await owner.post(URL_, relaySettings(ownRelay.port));
  expect(response.status, response.text).toBe(200);
  await startCampaign(accountId, 1);
  const accountsDue = (account: number) =>
    listAccountsWithOwnWork(server.db, clock.now(), {
      after: account - 1,
      lastId: account,
      size: 1,
    });
  expect(await accountsDue(without)).toEqual([]);
  expect(await accountsDue(accountId)).toEqual([accountId]);
});
