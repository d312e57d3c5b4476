// Changes of a sending domain while its emails are sent: copies are signed once the domain is
// verified. If a verified domain is required, no copy is sent without one.
import { generateKeyPairSync } from 'node:crypto';
import { sql } from 'kysely';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { sampleSource } from '#areas/content/server/sample-source.ts';
import { clock } from '#platform/server/clock.ts';
import { inTransaction } from '#platform/server/database/database.ts';
import { seal } from '#platform/server/secrets.ts';
import {
  addPeople,
  isFinished,
  startMessage,
  waitForDelivery,
} from '#testing/worlds/sending-helpers.ts';
import { startTestSender } from '#testing/worlds/sender.ts';
import { type TestServer, testServer } from '#testing/setup/server.ts';
import { startSmtpServer, type TestSmtpServer } from '#testing/servers/smtp-server.ts';
import { configureDelivery } from '../index.ts';
import { pauseMessage, resumeMessage, sendOne } from '../ledger/index.ts';

const server: TestServer = await testServer();
let relay: TestSmtpServer;

beforeEach(async () => {
  relay = await startSmtpServer();
  return () => relay.close();
});

afterEach(() => {
  clock.reset();
  configureDelivery({ bounceDomain: undefined, needsVerifiedSender: false });
});

/** Adds a domain with a signing key, without verifying its DNS records. */
async function addDomain(accountId: number): Promise<void> {
  const { privateKey } = generateKeyPairSync('rsa', { modulusLength: 2048 });
  const at = clock.now();
  const record = { purpose: 'dkim', name: 'sl1._domainkey.tea.example', state: 'ok' };
  const status = JSON.stringify({ records: [record] });
  const pem = privateKey.export({ type: 'pkcs8', format: 'pem' }).toString();
  await sql`with domain as (
      insert into domains (account_id, domain, email, email_verified_at, dns_status, created_at,
        modified_at)
      values (${accountId}, 'tea.example', 'news@tea.example', ${at}, ${status}, ${at}, ${at})
      returning id)
    insert into domain_keys (account_id, domain_id, selector, public_key, sealed_private_key, created_at)
    select ${accountId}::bigint, id, 'sl1', '', ${seal('dkim private key', pem)}, ${at}
    from domain`.execute(server.db);
}

const verifyDomain = (accountId: number) =>
  sql`update domains set dns_verified_at = ${clock.now()}
    where account_id = ${accountId}`.execute(server.db);

/** Advances the clock in steps, and the expiry of leases with it, so that no lease expires. */
async function passMinutes(accountId: number): Promise<void> {
  for (let n = 0; n < 10; n++) {
    clock.advance(20_000);
    await sql`update leases set expires_at = (expires_at at time zone 'UTC' + interval '20 seconds') at time zone 'UTC'
      where account_id = ${accountId} and not is_done`.execute(server.db);
  }
}

async function startUnsigned() {
  const { accountId } = await server.owner();
  await sql`delete from single_sends where account_id = ${accountId}`.execute(server.db);
  await addDomain(accountId);
  await addPeople(server.db, accountId, 600);
  const messageId = await startMessage(server.db, accountId);
  await server.runJobs();
  startTestSender(server.db, relay.url, { rate: 100 });
  await relay.waitForMessages(20);
  return { accountId, messageId };
}

const areSignedFrom = (firstIndex: number) =>
  relay.accepted
    .slice(firstIndex)
    .map((receivedMessage) => receivedMessage.source.includes('DKIM-Signature:'));

test('copies sent after a pause and resume are signed if the domain was verified during the pause', async () => {
  const { accountId, messageId } = await startUnsigned();
  await inTransaction(server.db, (tx) => pauseMessage(tx, accountId, messageId));
  await waitForDelivery(
    server.db,
    accountId,
    messageId,
    (delivery) => delivery.counts.handing_over === 0,
  );
  const acceptedBefore = relay.accepted.length;
  await verifyDomain(accountId);
  await inTransaction(server.db, (tx) => resumeMessage(tx, accountId, messageId));
  await waitForDelivery(server.db, accountId, messageId, isFinished);
  expect(relay.accepted).toHaveLength(600);
  expect(new Set(areSignedFrom(0).slice(0, acceptedBefore))).toEqual(new Set([false]));
  expect(new Set(areSignedFrom(acceptedBefore))).toEqual(new Set([true]));
});

test('a running campaign sends signed copies minutes after its domain is verified', async () => {
  const { accountId, messageId } = await startUnsigned();
  await verifyDomain(accountId);
  await passMinutes(accountId);
  await waitForDelivery(server.db, accountId, messageId, isFinished);
  expect(areSignedFrom(0)[0]).toBe(false);
  expect(areSignedFrom(500)).not.toContain(false);
});

const isPaused = (delivery: { state: string }) => delivery.state === 'paused';
const isSentFromTeaDomain = (email: { source: string }) =>
  /^From: .*@tea\.example>/m.test(email.source);
const isSigned = (email: { source: string }) => email.source.includes('DKIM-Signature:');

test('a running campaign pauses when its domain is removed, and resuming continues it only with a verified domain', async () => {
  configureDelivery({ bounceDomain: undefined, needsVerifiedSender: true });
  const owner = await server.owner();
  const { accountId } = owner;
  await addDomain(accountId);
  await verifyDomain(accountId);
  await addPeople(server.db, accountId, 600);
  const messageId = await startMessage(server.db, accountId);
  await server.runJobs();
  startTestSender(server.db, relay.url, { rate: 100 });
  await relay.waitForMessages(20);
  const [domain] = (await owner.get('/client-api/api/domains')).body.data;
  expect((await owner.delete(`/client-api/api/domains/${domain.id}`)).status).toBe(200);
  const acceptedBefore = relay.accepted.filter(isSentFromTeaDomain).length;
  const delivery = await waitForDelivery(server.db, accountId, messageId, isPaused);
  expect(delivery.reason).toBe('sender_not_verified');
  // Sending stops immediately, as with a pause.
  expect(relay.accepted.filter(isSentFromTeaDomain).length - acceptedBefore).toBeLessThan(200);
  expect(delivery.counts.pending).toBeGreaterThan(0);
  expect(relay.accepted.filter(isSentFromTeaDomain).every(isSigned)).toBe(true);
  const isSystemEmail = (email: { source: string }) =>
    email.source.includes('is no longer verified');
  await expect.poll(() => relay.accepted.filter(isSystemEmail).length, { timeout: 15_000 }).toBe(1);
  // A campaign resumed without a domain pauses again.
  await inTransaction(server.db, (tx) => resumeMessage(tx, accountId, messageId));
  await waitForDelivery(server.db, accountId, messageId, isPaused);
  await addDomain(accountId);
  await verifyDomain(accountId);
  await inTransaction(server.db, (tx) => resumeMessage(tx, accountId, messageId));
  await waitForDelivery(server.db, accountId, messageId, isFinished);
  const copies = relay.accepted.filter(isSentFromTeaDomain);
  expect(copies).toHaveLength(600);
  expect(copies.every(isSigned)).toBe(true);
});

test('a single email from an unverified domain waits until the domain is verified', async () => {
  configureDelivery({ bounceDomain: undefined, needsVerifiedSender: true });
  const { accountId } = await server.owner();
  await sql`delete from single_sends where account_id = ${accountId}`.execute(server.db);
  await addDomain(accountId);
  await verifyDomain(accountId);
  const { message_id: _, ...source } = sampleSource({
    kind: 'transactional',
    account_id: accountId,
  });
  const single = { accountId, kind: 'transactional', sourceId: 5, source, values: {} } as const;
  const { messageId } = await inTransaction(server.db, (tx) =>
    sendOne(tx, { ...single, recipient: 'ada@home.example', idempotencyKey: 'order 1' }),
  );
  await sql`update domains set dns_verified_at = null where account_id = ${accountId}`.execute(
    server.db,
  );
  startTestSender(server.db, relay.url);
  const readSingle = async () => {
    const { rows } = await sql`select s.state, s.reason, c.audience, c.deferred, c.failed
      from single_sends s join delivery_counts c using (account_id, message_id)
      where s.account_id = ${accountId} and s.message_id = ${messageId}`.execute(server.db);
    return rows[0];
  };
  const reason = 'sender_not_verified';
  const waiting = { state: 'deferred', reason, audience: 1, deferred: 1, failed: 0 };
  await expect.poll(readSingle, { timeout: 10_000 }).toEqual(waiting);
  await verifyDomain(accountId);
  clock.advance(2 * 3_600_000);
  await expect.poll(() => relay.accepted.length, { timeout: 10_000 }).toBe(1);
  expect(isSigned(relay.accepted[0] as { source: string })).toBe(true);
  await expect.poll(readSingle).toMatchObject({ state: 'accepted', audience: 1, deferred: 0 });
});
