// A campaign whose sending domain is mended while it stands: what leaves from then on is signed.
import { generateKeyPairSync } from 'node:crypto';
import { sql } from 'kysely';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { clock } from '#platform/server/clock.ts';
import { inTransaction } from '#platform/server/database.ts';
import { seal } from '#platform/server/secrets.ts';
import { addPeople, isFinished, startMessage, untilDelivery } from '#testing/mailing.ts';
import { startTestSender } from '#testing/sender.ts';
import { type TestServer, testServer } from '#testing/server.ts';
import { startSmtpServer, type TestSmtpServer } from '#testing/smtp-server.ts';
import { pause, resume } from './index.ts';

const server: TestServer = await testServer();
let relay: TestSmtpServer;

beforeEach(async () => {
  relay = await startSmtpServer();
  return () => relay.close();
});

afterEach(() => clock.reset());

/** Its records are not found yet. */
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

const mend = (accountId: number) =>
  sql`update domains set dns_verified_at = ${clock.now()}
    where account_id = ${accountId}`.execute(server.db);

async function unsigned() {
  const { accountId } = await server.owner();
  await sql`delete from single_sends where account_id = ${accountId}`.execute(server.db);
  await addDomain(accountId);
  await addPeople(server.db, accountId, 600);
  const messageId = await startMessage(server.db, accountId);
  await server.runJobs();
  startTestSender(server.db, relay.url, { rate: 100 });
  await relay.got(20);
  return { accountId, messageId };
}

const signedFrom = (first: number) =>
  relay.accepted.slice(first).map((one) => one.source.includes('DKIM-Signature:'));

test('after it was stopped and let go on', async () => {
  const { accountId, messageId } = await unsigned();
  await inTransaction(server.db, (tx) => pause(tx, accountId, messageId));
  await untilDelivery(server.db, accountId, messageId, (one) => one.counts.handing_over === 0);
  const before = relay.accepted.length;
  await mend(accountId);
  await inTransaction(server.db, (tx) => resume(tx, accountId, messageId));
  await untilDelivery(server.db, accountId, messageId, isFinished);
  expect(relay.accepted).toHaveLength(600);
  expect(new Set(signedFrom(0).slice(0, before))).toEqual(new Set([false]));
  expect(new Set(signedFrom(before))).toEqual(new Set([true]));
});

test('or after some minutes', async () => {
  const { accountId, messageId } = await unsigned();
  await mend(accountId);
  // Leases are kept by this clock, too: in steps, as if time had passed.
  for (let n = 0; n < 10; n++) {
    clock.advance(20_000);
    await sql`update leases set expires_at = expires_at + interval '20 seconds'
      where account_id = ${accountId} and not is_done`.execute(server.db);
  }
  await untilDelivery(server.db, accountId, messageId, isFinished);
  expect(signedFrom(0)[0]).toBe(false);
  expect(signedFrom(500)).not.toContain(false);
});
