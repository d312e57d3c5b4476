// If the email of one account cannot be sent, because its content no longer compiles or because its
// ledger cannot be written, the email of all other accounts is still sent.
import { sql } from 'kysely';
import { beforeEach, expect, onTestFinished, test } from 'vitest';
import { sampleSource } from '#areas/content/server/sample-source.ts';
import { MAILBOXES } from '#areas/subscribers/shared.ts';
import { createDatabase, inTransaction } from '#platform/server/database/database.ts';
import { runOnEveryNode } from '#testing/setup/cluster.ts';
import {
  addPeople,
  isFinished,
  startMessage,
  waitForDelivery,
} from '#testing/worlds/sending-helpers.ts';
import { startTestSender } from '#testing/worlds/sender.ts';
import { testServer } from '#testing/setup/server.ts';
import { startSmtpServer, type TestSmtpServer } from '#testing/servers/smtp-server.ts';
import { resumeMessage, sendOne } from '../ledger/index.ts';

const server = await testServer();
let relay: TestSmtpServer;

beforeEach(async () => {
  relay = await startSmtpServer();
  return () => relay.close();
});

const single = (accountId: number, recipient: string, html?: string) => {
  const { message_id: _, ...source } = sampleSource({
    kind: 'transactional',
    account_id: accountId,
    subject: `For ${recipient}`,
    ...(html === undefined ? {} : { html }),
  });
  const singleSend = {
    accountId,
    kind: 'transactional',
    sourceId: 5,
    recipient,
    values: {},
  } as const;
  return inTransaction(server.db, (tx) =>
    sendOne(tx, { ...singleSend, source, idempotencyKey: recipient }),
  );
};

/** Gives all messages of an account a subject that can no longer be rendered. */
const spoil = (accountId: number) =>
  sql`update messages set frozen = jsonb_set(frozen, '{source,subject}', '"{{ 1 | nothing }}"')
    where account_id = ${accountId}`.execute(server.db);

const gotBy = (address: string) =>
  relay.accepted.some((receivedMessage) => receivedMessage.to[0] === address);

test('a single email that no longer compiles fails and is counted, and single emails of other accounts are sent', async () => {
  const accounts = [];
  for (let i = 0; i < 3; i++) accounts.push((await server.owner()).accountId);
  const [before, broken, after] = accounts as [number, number, number];
  for (const accountId of accounts) await single(accountId, `buyer${accountId}@home.example`);
  await spoil(broken);
  startTestSender(server.db, relay.url);
  for (const accountId of [before, after]) {
    await expect
      .poll(() => gotBy(`buyer${accountId}@home.example`), { timeout: 15_000 })
      .toBe(true);
  }
  const { rows } = await sql<{
    state: string;
    reason: string;
  }>`select state, reason from single_sends
    where account_id = ${broken} and recipient like 'buyer%'`.execute(server.db);
  expect(rows).toEqual([{ state: 'failed', reason: 'message_gone' }]);
  const counts = await sql`select c.audience, c.failed, c.deferred from delivery_counts c
    join single_sends s on s.account_id = ${broken} and s.message_id = c.message_id
    where c.account_id = ${broken} and s.recipient like 'buyer%'`.execute(server.db);
  expect(counts.rows).toEqual([{ audience: 1, failed: 1, deferred: 0 }]);
});

test('a single email that no longer compiles is counted as failed in the lane of its recipient’s host', async () => {
  const { accountId } = await server.owner();
  const [id] = (await addPeople(server.db, accountId, 1, ['firm.no'])) as [number];
  await sql`update subscribers set mailbox = ${MAILBOXES.microsoft365}
    where account_id = ${accountId}`.execute(server.db);
  await single(accountId, 'person1@firm.no');
  await sql`update single_sends set subscriber_id = ${id} where account_id = ${accountId}
    and recipient = 'person1@firm.no'`.execute(server.db);
  await spoil(accountId);
  startTestSender(server.db, relay.url);
  const lanes = async () => {
    const { rows } = await sql`select c.lane, c.failed from lane_counts c
      join single_sends s on s.account_id = ${accountId} and s.message_id = c.message_id
      where c.account_id = ${accountId} and s.recipient = 'person1@firm.no'`.execute(server.db);
    return rows;
  };
  await expect
    .poll(lanes, { timeout: 15_000 })
    .toEqual([{ lane: MAILBOXES.microsoft365, failed: 1 }]);
});

test('a campaign that no longer compiles pauses, its owner is notified once, and another campaign is sent', async () => {
  const [broken, fine] = [(await server.owner()).accountId, (await server.owner()).accountId];
  for (const accountId of [broken, fine]) await addPeople(server.db, accountId, 20);
  const stoppedMessage = await startMessage(server.db, broken);
  const message = await startMessage(server.db, fine);
  await server.runJobs();
  await spoil(broken);
  // Two senders load the message, as in a cluster.
  startTestSender(server.db, relay.url);
  startTestSender(server.db, relay.url);
  await waitForDelivery(server.db, fine, message, isFinished);
  expect(gotBy('person1@gmail.com')).toBe(true);
  const isPaused = (delivery: { state: string }) => delivery.state === 'paused';
  const delivery = await waitForDelivery(server.db, broken, stoppedMessage, isPaused);
  expect(delivery).toMatchObject({ reason: 'content_unsendable', counts: { pending: 20 } });
  const isSystemEmail = (email: { source: string }) =>
    email.source.includes('can no longer be made');
  await expect.poll(() => relay.accepted.filter(isSystemEmail).length, { timeout: 15_000 }).toBe(1);
  // A resume does not change the content, so the campaign pauses again, with another notification.
  await inTransaction(server.db, (tx) => resumeMessage(tx, broken, stoppedMessage));
  await waitForDelivery(server.db, broken, stoppedMessage, isPaused);
  await expect.poll(() => relay.accepted.filter(isSystemEmail).length, { timeout: 15_000 }).toBe(2);
});

/**
 * Makes writes of this account's rows fail until `stop` is called. The returned function counts the
 * failed attempts.
 */
async function refuseChanges(table: 'leases' | 'messages' | 'results', accountId: number) {
  const name = `refused_${table}_${accountId}`;
  // On a cluster, the trigger counts on the account's node.
  await runOnEveryNode(server.db, `create sequence ${name}`);
  await sql
    .raw(
      `create function ${name}() returns trigger language plpgsql as $$
       begin perform nextval('${name}'); raise exception 'refused'; end $$`,
    )
    .execute(server.db);
  await sql
    .raw(
      `create trigger ${name} before insert or update on ${table} for each row
       when (new.account_id = ${accountId}) execute function ${name}()`,
    )
    .execute(server.db);
  const stop = () => sql.raw(`drop trigger if exists ${name} on ${table}`).execute(server.db);
  onTestFinished(async () => {
    await stop();
  });
  const readRefusedCount = async () => {
    const counts = await runOnEveryNode(
      server.db,
      `select case when is_called then last_value else 0 end as result from ${name}`,
    );
    return counts.reduce((total, count) => total + Number(count), 0);
  };
  return Object.assign(readRefusedCount, { stop });
}

test('a message whose ranges cannot be leased is retried at each poll, and another message is sent', async () => {
  const [broken, fine] = [(await server.owner()).accountId, (await server.owner()).accountId];
  await addPeople(server.db, broken, 20);
  await addPeople(server.db, fine, 600);
  await startMessage(server.db, broken);
  const message = await startMessage(server.db, fine);
  await server.runJobs();
  const readRefusals = await refuseChanges('leases', broken);
  const startedAt = performance.now();
  startTestSender(server.db, relay.url, { rate: 300 });
  await waitForDelivery(server.db, fine, message, isFinished);
  const seconds = (performance.now() - startedAt) / 1_000;
  // The lease is tried once per poll (each second and after each wake-up), not before each step of
  // the other message.
  expect(await readRefusals()).toBeGreaterThan(0);
  expect(await readRefusals()).toBeLessThan(10 + 2 * seconds);
});

test('a message that cannot be settled does not block other messages', async () => {
  const [broken, fine] = [(await server.owner()).accountId, (await server.owner()).accountId];
  await addPeople(server.db, fine, 20);
  // The audience is empty, so the first poll settles the message.
  await startMessage(server.db, broken);
  const message = await startMessage(server.db, fine);
  await server.runJobs();
  const { rows } = await sql`update messages set state = 'sending', is_audience_complete = true
    where account_id = ${broken} and frozen_hash is null returning id`.execute(server.db);
  expect(rows).toHaveLength(1);
  const readRefusals = await refuseChanges('messages', broken);
  startTestSender(server.db, relay.url);
  await waitForDelivery(server.db, fine, message, isFinished);
  expect(await readRefusals()).toBeGreaterThan(0);
});

async function startedCount(accountId: number) {
  const { rows } = await sql<{ started: number }>`
    select sum(started_to - from_ordinal + 1)::int as started from leases
    where account_id = ${accountId}`.execute(server.db);
  return rows[0]?.started;
}

test('a message whose results cannot be written does not block other messages or lose results', async () => {
  const [broken, fine] = [(await server.owner()).accountId, (await server.owner()).accountId];
  await addPeople(server.db, broken, 2_000);
  await addPeople(server.db, fine, 300);
  const blockedMessage = await startMessage(server.db, broken);
  await server.runJobs();
  const readRefusals = await refuseChanges('results', broken);
  startTestSender(server.db, relay.url);
  await expect.poll(readRefusals, { timeout: 10_000 }).toBeGreaterThan(0);
  const message = await startMessage(server.db, fine);
  await server.runJobs();
  await waitForDelivery(server.db, fine, message, isFinished, 15_000);
  // No further handoffs start.
  const startedBefore = await startedCount(broken);
  expect(startedBefore).toBeLessThan(1_000);
  await new Promise((resolve) => setTimeout(resolve, 2_500));
  expect(await startedCount(broken)).toBe(startedBefore);
  await readRefusals.stop();
  const delivery = await waitForDelivery(server.db, broken, blockedMessage, isFinished);
  expect(delivery.counts).toMatchObject({ accepted: 2_000, unknown: 0 });
});

test('a sender with one free database connection sends single emails', async () => {
  const { accountId } = await server.owner();
  const db = createDatabase(server.config.databaseUrl as string, 2);
  onTestFinished(() => db.destroy());
  await single(accountId, 'alone@home.example');
  const sender = startTestSender(db, relay.url);
  await expect.poll(() => gotBy('alone@home.example'), { timeout: 8_000 }).toBe(true);
  await sender.close();
});

test('HTML nested too deeply is not frozen, and HTML frozen before this limit existed is sent', async () => {
  const { accountId } = await server.owner();
  const address = `deep${accountId}@home.example`;
  const html = '<div>'.repeat(600);
  await expect(single(accountId, address, html)).rejects.toMatchObject({
    findings: [{ code: 'nested_too_deep' }],
  });
  await single(accountId, address);
  await sql`update messages set frozen = jsonb_set(frozen, '{source,html}', to_jsonb(${html}::text))
    where account_id = ${accountId}`.execute(server.db);
  startTestSender(server.db, relay.url);
  await expect.poll(() => gotBy(address), { timeout: 15_000 }).toBe(true);
});
