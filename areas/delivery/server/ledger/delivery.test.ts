// A message from its start to the last result: its audience, sender, copies and counts.
import { generateKeyPairSync, type KeyObject, verify } from 'node:crypto';
import { sql } from 'kysely';
import { beforeAll, describe, expect, test } from 'vitest';
import { suppress, unsubscribe } from '#areas/subscribers/server/index.ts';
import { getInstallationTokens } from '#areas/tracking/server/index.ts';
import { clock } from '#platform/server/clock.ts';
import { inTransaction } from '#platform/server/database/database.ts';
import { seal } from '#platform/server/secrets.ts';
import { openSmtpRelay, parseSmtpUrl } from '#providers/smtp/index.ts';
import { checkInvariant, listRecipients } from '#testing/oracles/invariants.ts';
import {
  addPeople,
  isFinished,
  startMessage,
  waitForDelivery,
} from '#testing/worlds/sending-helpers.ts';
import { startSmtpServer, type TestSmtpServer } from '#testing/servers/smtp-server.ts';
import { startTestSender } from '#testing/worlds/sender.ts';
import { type TestServer, testServer } from '#testing/setup/server.ts';

import { readCopyFields } from '../feedback/index.ts';
import { configureDelivery } from '../index.ts';
import { countAudience, readDelivery } from './index.ts';
import { openPool, runSender, soleRelay } from '../sender/index.ts';

let server: TestServer;
let relay: TestSmtpServer;

beforeAll(async () => {
  server = await testServer();
  relay = await startSmtpServer();
  return () => relay.close();
});

const idsOf = (server: TestSmtpServer) =>
  server.accepted.map((receivedMessage) => receivedMessage.messageId);

describe('a message to all subscribers', () => {
  test('reaches each subscriber once, with a personal copy', async () => {
    const { accountId } = await server.owner();
    await addPeople(server.db, accountId, 250);
    const messageId = await startMessage(server.db, accountId);
    await server.runJobs();
    startTestSender(server.db, relay.url);
    const delivery = await waitForDelivery(server.db, accountId, messageId, isFinished);
    expect(delivery.counts).toMatchObject({ accepted: 250, pending: 0, handing_over: 0 });
    const invariant = await checkInvariant(server.db, accountId, messageId, idsOf(relay));
    expect(invariant).toEqual({ states: { accepted: 250 }, problems: [] });
    const copy = relay.accepted.find(
      (receivedMessage) => receivedMessage.to[0] === 'person7@gmail.com',
    );
    expect(copy?.source).toMatch(/^Subject: Hello Name 7\r$/m);
    expect(copy?.source).toMatch(/^List-Unsubscribe-Post: List-Unsubscribe=One-Click\r$/m);
    const lanes = new Set(
      (await listRecipients(server.db, accountId, messageId)).map((r) => r.lane),
    );
    expect(lanes.size).toBe(3);
  });
});

async function addGroup(accountId: number, title: string, subscriberIds: readonly number[]) {
  const at = clock.now();
  const { rows } = await sql<{ id: number }>`insert into groups
      (account_id, title, title_key, created_at, modified_at)
    values (${accountId}, ${title}, ${title}, ${at}, ${at}) returning id`.execute(server.db);
  const id = rows[0]?.id as number;
  await sql`insert into group_members (account_id, group_id, subscriber_id, created_at)
    select ${accountId}::bigint, ${id}::bigint, p, ${at} from unnest(${[...subscriberIds]}::bigint[]) p`.execute(
    server.db,
  );
  return id;
}

describe('audiences', () => {
  test('an audience counts each subscriber once, and gives a reason for each exclusion', async () => {
    const { accountId } = await server.owner();
    const ids = await addPeople(server.db, accountId, 12, ['groups.example']);
    const firstGroup = await addGroup(accountId, 'first', ids.slice(0, 8));
    const second = await addGroup(accountId, 'second', ids.slice(4, 11));
    const excludedGroup = await addGroup(accountId, 'out', ids.slice(10, 12));
    await inTransaction(server.db, async (tx) => {
      const change = { channel: 'email', reason: 'link' } as const;
      await unsubscribe(tx, accountId, { subscriberIds: ids.slice(0, 1) }, change);
      const suppression = { channel: 'email', reason: 'manual' } as const;
      await suppress(tx, accountId, ['person2@groups.example'], suppression);
    });
    const audience = { all: false, groups: [firstGroup, second], excluded: [excludedGroup] };
    const counts = await countAudience(server.db, accountId, audience);
    const excludedCounts = { excluded: 1, suppressed: 1, unsubscribed: 1 };
    expect(counts).toEqual({ count: 8, total: 11, excluded: excludedCounts });
    const messageId = await startMessage(server.db, accountId, {}, audience);
    await server.runJobs();
    startTestSender(server.db, relay.url);
    const delivery = await waitForDelivery(server.db, accountId, messageId, isFinished);
    expect(delivery).toMatchObject({
      audience: 8,
      excluded: excludedCounts,
      counts: { accepted: 8 },
    });
    const recipients = await listRecipients(server.db, accountId, messageId);
    expect(recipients.map((recipient) => recipient.subscriber_id)).toEqual(ids.slice(2, 10));
  });

  test('an empty audience finishes immediately', async () => {
    const { accountId } = await server.owner();
    const messageId = await startMessage(server.db, accountId);
    await server.runJobs();
    const [delivery] = await readDelivery(server.db, accountId, [messageId]);
    expect(delivery).toMatchObject({ state: 'finished', audience: 0 });
  });
});

describe('senders', () => {
  test('a real relay requires a verified domain', async () => {
    const { accountId } = await server.owner();
    configureDelivery({ bounceDomain: undefined, needsVerifiedSender: true });
    try {
      await expect(startMessage(server.db, accountId)).rejects.toThrow('sender_not_verified');
      await addDomain(accountId);
      await startMessage(server.db, accountId);
    } finally {
      configureDelivery({ bounceDomain: undefined, needsVerifiedSender: false });
    }
  });

  test("emails are signed for the sender's domain, and bounces return to an address with the token of their copy", async () => {
    const { accountId } = await server.owner();
    const publicKey = await addDomain(accountId);
    await addPeople(server.db, accountId, 3, ['signed.example']);
    configureDelivery({ bounceDomain: 'bounces.example', needsVerifiedSender: false });
    const messageId = await startMessage(server.db, accountId);
    await server.runJobs();
    startTestSender(server.db, relay.url);
    await waitForDelivery(server.db, accountId, messageId, isFinished);
    configureDelivery({ bounceDomain: undefined, needsVerifiedSender: false });
    const copies = relay.accepted.filter((receivedMessage) =>
      receivedMessage.to[0]?.endsWith('@signed.example'),
    );
    expect(copies.length).toBe(3);
    for (const { source, from } of copies) {
      expect(isSigned(source, publicKey)).toBe(true);
      const token = /^b\+([\w-]{40})@bounces\.example$/.exec(from)?.[1] ?? '';
      expect(getInstallationTokens().read(token, 'bounce')).toMatchObject({ message: messageId });
    }
  });

  test('emails are not signed for a relay that signs them itself', async () => {
    const { accountId } = await server.owner();
    await addDomain(accountId);
    await addPeople(server.db, accountId, 3, ['byrelay.example']);
    const messageId = await startMessage(server.db, accountId);
    await server.runJobs();
    const options = parseSmtpUrl(`${relay.url}?tls=none`);
    const sole = soleRelay('signs', (source) => openSmtpRelay(options, source));
    const sender = runSender(server.db, openPool(server.db, [{ ...sole, signsMessages: true }]));
    await waitForDelivery(server.db, accountId, messageId, isFinished);
    await sender.close();
    const copies = relay.accepted.filter((receivedMessage) =>
      receivedMessage.to[0]?.endsWith('@byrelay.example'),
    );
    expect(copies.length).toBe(3);
    for (const { source } of copies) expect(source).toMatch(/^Date: /);
  });

  test.each(['smtp.sendgrid.net', 'smtp.postmarkapp.com'])(
    '%s gets header fields that identify the copy, above the signed fields',
    async (host) => {
      const { accountId } = await server.owner();
      const publicKey = await addDomain(accountId);
      const domain = `by.${host}.example`;
      await addPeople(server.db, accountId, 3, [domain]);
      const messageId = await startMessage(server.db, accountId);
      await server.runJobs();
      const options = parseSmtpUrl(`${relay.url}?tls=none`);
      const sole = soleRelay(host, (source) => openSmtpRelay(options, source));
      const sender = runSender(
        server.db,
        openPool(server.db, [{ ...sole, fields: readCopyFields(host) }]),
      );
      await waitForDelivery(server.db, accountId, messageId, isFinished);
      await sender.close();
      const copies = relay.accepted.filter((receivedMessage) =>
        receivedMessage.to[0]?.endsWith(`@${domain}`),
      );
      expect(copies.length).toBe(3);
      for (const { source, messageId: id } of copies) {
        const [fields = ''] = source.split('DKIM-Signature:');
        const token = id.slice(0, 40);
        expect(getInstallationTokens().read(token, 'messageId')).toMatchObject({
          message: messageId,
        });
        expect(fields).toBe(
          host.includes('sendgrid')
            ? `X-SMTPAPI: {"unique_args":{"sendloom":"${token}"}}\r\n`
            : `X-PM-KeepID: true\r\nX-PM-Metadata-sendloom: ${token}\r\n`,
        );
        expect(isSigned(source, publicKey)).toBe(true);
      }
    },
  );

  test("a return path uses the sending domain's host if its record points to this installation", async () => {
    const { accountId } = await server.owner();
    await addDomain(accountId);
    await addPeople(server.db, accountId, 1, ['aligned.example']);
    const settings = { bounceDomain: 'bounces.example', needsVerifiedSender: false };
    configureDelivery({ ...settings, alignsReturnPath: true });
    const messageId = await startMessage(server.db, accountId);
    await server.runJobs();
    startTestSender(server.db, relay.url);
    await waitForDelivery(server.db, accountId, messageId, isFinished);
    configureDelivery({ ...settings, bounceDomain: undefined });
    const copy = relay.accepted.find((receivedMessage) =>
      receivedMessage.to[0]?.endsWith('@aligned.example'),
    );
    const token = /^b\+([\w-]{40})@bounce\.tea\.example$/.exec(copy?.from ?? '')?.[1] ?? '';
    expect(getInstallationTokens().read(token, 'bounce')).toMatchObject({ message: messageId });
  });
});

/** Adds a verified domain with a published key, as areas/domains stores it; returns the key. */
async function addDomain(accountId: number): Promise<KeyObject> {
  const { publicKey, privateKey } = generateKeyPairSync('rsa', { modulusLength: 2048 });
  const at = clock.now();
  const record = { purpose: 'dkim', name: 'sl1._domainkey.tea.example', state: 'ok' };
  const returnPathRecord = { purpose: 'return_path', name: 'bounce.tea.example', state: 'ok' };
  const status = JSON.stringify({ records: [record, returnPathRecord] });
  const pem = privateKey.export({ type: 'pkcs8', format: 'pem' }).toString();
  await sql`with domain as (
      insert into domains (account_id, domain, email, email_verified_at, dns_verified_at, dns_status,
        created_at, modified_at)
      values (${accountId}, 'tea.example', 'news@tea.example', ${at}, ${at}, ${status}, ${at}, ${at})
      returning id)
    insert into domain_keys (account_id, domain_id, selector, public_key, sealed_private_key, created_at)
    select ${accountId}::bigint, id, 'sl1', '', ${seal('dkim private key', pem)}, ${at}
    from domain`.execute(server.db);
  return publicKey;
}

/**
 * Verifies the part of RFC 6376 that these messages need: that `b=` is a signature of the headers.
 */
function isSigned(source: string, key: KeyObject): boolean {
  const headers = source.slice(0, source.indexOf('\r\n\r\n') + 2);
  const fields = headers.split(/\r\n(?![ \t])/).filter((field) => field !== '');
  const canonicalize = (field: string) => {
    const [name = '', ...rest] = field.split(':');
    return `${name.toLowerCase()}:${rest.join(':').replace(/\s+/g, ' ').trim()}`;
  };
  const signature = fields.find((field) => field.startsWith('DKIM-Signature:')) ?? '';
  const tags = Object.fromEntries(
    signature
      .slice(15)
      .split(';')
      .map((tag) => tag.trim().split(/=(.*)/s).slice(0, 2) as [string, string]),
  );
  const remainingFields = [...fields];
  const signedFields = (tags.h ?? '').split(':').flatMap((name) => {
    const fieldIndex = remainingFields.findLastIndex((field) =>
      field.toLowerCase().startsWith(`${name.trim()}:`),
    );
    return fieldIndex < 0
      ? []
      : remainingFields.splice(fieldIndex, 1).map((field) => `${canonicalize(field)}\r\n`);
  });
  const unsignedSignature = canonicalize(signature).replace(/ b=.*$/, ' b=');
  const value = Buffer.from((tags.b ?? '').replace(/\s/g, ''), 'base64');
  return verify('sha256', Buffer.from(signedFields.join('') + unsignedSignature), key, value);
}
