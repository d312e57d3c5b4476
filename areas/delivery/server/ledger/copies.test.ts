// A copy is found by the token in its links, for redirects, the view in the browser and counts.
// Acceptance times and setbacks are recorded per copy.
import { sql } from 'kysely';
import { beforeAll, expect, test } from 'vitest';
import { MAILBOXES } from '#areas/subscribers/shared.ts';
import {
  getInstallationTokens,
  recordComplaints,
  recordHardBounces,
  reverseRefusals,
  settleTracking,
} from '#areas/tracking/server/index.ts';
import { clock } from '#platform/server/clock.ts';
import { inTransaction } from '#platform/server/database/database.ts';
import {
  addPeople,
  isFinished,
  startMessage,
  waitForDelivery,
} from '#testing/worlds/sending-helpers.ts';
import { startSmtpServer, type TestSmtpServer } from '#testing/servers/smtp-server.ts';
import { startTestSender } from '#testing/worlds/sender.ts';
import { type TestServer, testServer } from '#testing/setup/server.ts';
import { findAcceptances } from './copies.ts';

let server: TestServer;
let relay: TestSmtpServer;
let accountId: number;
let ids: number[];
let messageId: number;
/** Links in the email of the first recipient, in order of appearance. */
let links: string[];

const HTML = `<!doctype html><html><body><h1>Hello {{ firstname }}</h1>
<a href="https://shop.example/{{ firstname | downcase }}?q={{ email }}">Yours</a>
<a href="{{browser_preview}}">In the browser</a>
<script>alert(1)</script><p>Storgata 1</p></body></html>`.replace(/<script.*script>/, '');

beforeAll(async () => {
  server = await testServer();
  relay = await startSmtpServer();
  accountId = (await server.owner()).accountId;
  ids = await addPeople(server.db, accountId, 3);
  messageId = await startMessage(server.db, accountId, { html: HTML, text: null });
  await server.runJobs();
  const sender = startTestSender(server.db, relay.url);
  await waitForDelivery(server.db, accountId, messageId, isFinished);
  await sender.close();
  const source =
    relay.accepted.find((receivedMessage) => receivedMessage.to[0] === 'person1@gmail.com')
      ?.source ?? '';
  const html = source
    .slice(source.lastIndexOf('Content-Transfer-Encoding'))
    .replace(/=\r?\n/g, '')
    .replace(/=3D/g, '=');
  links = [...html.matchAll(/(?:href|src)="([^"]+)"/g)].map(([, url]) => url as string);
  return () => relay.close();
});

const pathOf = (path: string) => {
  const link = links.find((link) => link.includes(path));
  return new URL(link as string).pathname;
};

test("a link with merge tags leads to the URL with the recipient's values", async () => {
  const response = await server.client().get(pathOf('/t/c/'));
  expect(response.status).toBe(302);
  expect(response.headers.location).toBe('https://shop.example/name%201?q=person1%40gmail.com');
});

test('the browser view shows the email in a sandbox', async () => {
  const page = await server.client().get(pathOf('/v/'));
  expect(page.status).toBe(200);
  expect(page.text).toContain('Hello Name 1');
  for (const link of links) expect(page.text).toContain(link);
  const policy = String(page.headers['content-security-policy']);
  expect(policy).toMatch(/^sandbox /);
  expect(policy).not.toContain('allow-scripts');
  expect(policy).toContain("default-src 'none'");
});

test('a forged token shows no copy', async () => {
  const token = pathOf('/v/').slice(3);
  const forgedToken = `${token.slice(0, 20)}${token[20] === 'A' ? 'B' : 'A'}${token.slice(21)}`;
  for (const wrongToken of [forgedToken, 'x', `${token}A`]) {
    const page = await server.client().get(`/v/${wrongToken}`);
    expect(page.status).toBe(404);
    expect(page.text).not.toContain('Hello');
  }
});

test("a copy's pixel, link and unsubscribe count for its subscriber", async () => {
  const client = server.client();
  const agent = { 'user-agent': 'Mozilla/5.0 (Windows NT 10.0; Win64; x64) Chrome/126.0.0.0' };
  await client.get(pathOf('/t/o/'), agent);
  await settleTracking(server.db);
  await client.post(pathOf('/u/'));
  const { rows } = await sql<{
    subscriber_id: number;
    opens: number;
    unsubscribed_at: Date | null;
  }>`
    select subscriber_id, opens, unsubscribed_at from outcomes
    where account_id = ${accountId} and message_id = ${messageId}`.execute(server.db);
  expect(rows).toEqual([{ subscriber_id: ids[0], opens: 1, unsubscribed_at: expect.any(Date) }]);
});

test('acceptance times cover single emails of workflows, but not transactional emails', async () => {
  const at = clock.now();
  const acceptedMinutes = async (kind: 'workflow' | 'transactional', ...minutes: number[]) => {
    const { rows } = await sql<{ id: number }>`
      insert into messages (account_id, channel, kind, frozen, state, created_at, modified_at)
      values (${accountId}, 'email', ${kind}, '{}', 'finished', ${at}, ${at}) returning id`.execute(
      server.db,
    );
    const message = rows[0]?.id as number;
    for (const minute of minutes)
      await sql`insert into single_sends (account_id, message_id, idempotency_key, subscriber_id,
          recipient, state, next_attempt_at, created_at, finished_at)
        values (${accountId}, ${message}, ${String(minute)}, ${ids[1]}, 'x@home.example', 'accepted',
          ${at}, ${at}, ${new Date(at.getTime() + minute * 60_000)})`.execute(server.db);
    const pairs = [{ messageId: message, subscriberId: ids[1] as number }];
    const acceptances = await inTransaction(server.db, (tx) =>
      findAcceptances(tx, { accountId, pairs }),
    );
    return acceptances.map((acceptance) => (acceptance.at.getTime() - at.getTime()) / 60_000);
  };
  // Several carts get several emails: the latest time is returned.
  expect(await acceptedMinutes('workflow', 1, 3, 2)).toEqual([3]);
  expect(await acceptedMinutes('transactional', 1)).toEqual([]);
});

test('findAcceptances returns only recipients of the message', async () => {
  const pairs = [...ids, 999_999].map((subscriberId) => ({ messageId, subscriberId }));
  const acceptances = await inTransaction(server.db, (tx) =>
    findAcceptances(tx, { accountId, pairs }),
  );
  expect(acceptances.map((pair) => pair.subscriberId).sort()).toEqual([...ids].sort());
  expect(getInstallationTokens().read(pathOf('/v/').slice(3))).toMatchObject({
    account: accountId,
    message: messageId,
    subscriber: ids[0],
  });
});

test("bounces, complaints and their reversals are counted under the copy's mailbox provider", async () => {
  const at = clock.now();
  const readSetbacks = async () => {
    const { rows } = await sql<{ mailbox: number; hard: number; complaints: number }>`
      select mailbox, sum(hard)::int as hard, sum(complaints)::int as complaints
      from setback_counts where account_id = ${accountId} and hard + complaints <> 0
      group by 1 order by 1`.execute(server.db);
    return rows;
  };
  const moveTo = (mailbox: number) =>
    sql`update subscribers set mailbox = ${mailbox} where account_id = ${accountId}`.execute(
      server.db,
    );
  // The mailbox providers of the subscribers change after the send; bounces count at the provider
  // of the send.
  await moveTo(MAILBOXES.microsoft365);
  const bounces = ids.map((subscriberId) => ({ messageId, subscriberId, at }));
  await inTransaction(server.db, (tx) => recordHardBounces(tx, accountId, bounces));
  const mailboxes = [MAILBOXES.other, MAILBOXES.gmail, MAILBOXES.microsoft];
  expect(await readSetbacks()).toEqual(
    mailboxes.map((mailbox) => ({ mailbox, hard: 1, complaints: 0 })),
  );
  await moveTo(MAILBOXES.yahoo);
  await inTransaction(server.db, (tx) => reverseRefusals(tx, accountId, messageId, ids, true));
  expect(await readSetbacks()).toEqual([]);
  // Single sends count at the mailbox provider of the address. For other domains, they count at the
  // email host stored for the subscriber, if any; Yahoo is not such a host.
  const { rows } = await sql<{ id: number }>`
    insert into messages (account_id, channel, kind, frozen, state, created_at, modified_at)
    values (${accountId}, 'email', 'transactional', '{}', 'finished', ${at}, ${at}) returning id`.execute(
    server.db,
  );
  const single = rows[0]?.id as number;
  for (const [index, recipient] of ['a@gmail.com', 'a@firm.no', 'b@firm.no'].entries()) {
    await sql`insert into single_sends (account_id, message_id, idempotency_key, subscriber_id,
        recipient, state, next_attempt_at, created_at)
      values (${accountId}, ${single}, ${recipient}, ${ids[index]}, ${recipient}, 'accepted', ${at},
        ${at})`.execute(server.db);
  }
  await moveTo(MAILBOXES.microsoft365);
  await sql`update subscribers set mailbox = ${MAILBOXES.yahoo} where account_id = ${accountId}
    and id = ${ids[2]}`.execute(server.db);
  const complaints = ids.map((subscriberId) => ({ messageId: single, subscriberId, at }));
  await inTransaction(server.db, (tx) => recordComplaints(tx, accountId, complaints));
  const singles = [MAILBOXES.other, MAILBOXES.gmail, MAILBOXES.microsoft365];
  expect(await readSetbacks()).toEqual(
    singles.map((mailbox) => ({ mailbox, hard: 0, complaints: 1 })),
  );
});
