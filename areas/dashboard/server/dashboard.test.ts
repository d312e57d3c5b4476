// The dashboard's statistics over HTTP: counted by days in the account's zone and limited to the
// account.
import { sql } from 'kysely';
import { afterEach, beforeAll, describe, expect, test } from 'vitest';
import { processReturnedEmail } from '#areas/delivery/server/feedback/index.ts';
import { sendOne } from '#areas/delivery/server/ledger/index.ts';
import { sampleSource } from '#areas/content/server/sample-source.ts';
import {
  getInstallationTokens,
  recordComplaints,
  recordHardBounces,
} from '#areas/tracking/server/index.ts';
import {
  bounce,
  complain,
  deleteSubscribers,
  unsubscribe,
} from '#areas/subscribers/server/index.ts';
import { purgeJob } from '#areas/subscribers/server/remove.ts';
import { decodeId } from '#platform/ids.ts';
import { clock } from '#platform/server/clock.ts';
import { inTransaction, type Tx } from '#platform/server/database/database.ts';
import {
  addPeople,
  isFinished,
  startMessage,
  waitForDelivery,
} from '#testing/worlds/sending-helpers.ts';
import { startTestSender } from '#testing/worlds/sender.ts';
import { type TestClient, type TestServer, testServer } from '#testing/setup/server.ts';
import { startSmtpServer } from '#testing/servers/smtp-server.ts';

let server: TestServer;

beforeAll(async () => {
  server = await testServer({ BILLING: 'test' });
});
afterEach(() => clock.reset());

const add = async (owner: TestClient, email: string): Promise<string> =>
  (await owner.post('/client-api/api/subscribers', { email })).body.data.id;
const growthOf = async (owner: TestClient, query = '') =>
  (await owner.get(`/client-api/api/accounts/dashboard_subscribers${query}`)).body.data;
const sendingOf = async (owner: TestClient, query = '') =>
  (await owner.get(`/client-api/api/accounts/dashboard_sending${query}`)).body.data;

async function atInstant<Result>(instant: string, work: () => Promise<Result>): Promise<Result> {
  clock.freeze(new Date(instant));
  try {
    return await work();
  } finally {
    clock.freeze(undefined);
  }
}

describe('growth', () => {
  test('growth has counts by day in the account’s zone, and past totals derived from the current total', async () => {
    const owner = await server.owner();
    const zone = { timezone: 'Asia/Tehran' };
    expect((await owner.patch('/client-api/api/accounts', zone)).status).toBe(200);
    const today = clock.now();
    const day = (ago: number, time: string) =>
      `${new Date(today.getTime() - ago * 86_400_000).toISOString().slice(0, 10)}T${time}Z`;
    // 20:31 in UTC is past midnight in Tehran.
    await atInstant(day(4, '20:29:00'), () => add(owner, 'a@people.example'));
    const deletedId = await atInstant(day(4, '20:31:00'), () => add(owner, 'b@people.example'));
    await atInstant(day(2, '08:00:00'), () => add(owner, 'c@people.example'));
    await atInstant(day(1, '08:00:00'), () =>
      owner.delete('/client-api/api/subscribers', { subscribers: [deletedId] }),
    );
    const from = day(4, '').slice(0, 10);
    const to = day(1, '').slice(0, 10);
    const growth = await growthOf(owner, `?from=${from}&to=${to}`);
    expect(growth).toMatchObject({ from, to, total: 2, added: 3, removed: 1 });
    expect(growth.days.map((day: { total: number }) => day.total)).toEqual([1, 2, 3, 2]);
    expect(growth.days.map((day: { added: number }) => day.added)).toEqual([1, 1, 1, 0]);
    expect(growth.days.at(-1).removed).toBe(1);
    // A range of only the first day has the same counts for this day.
    expect(await growthOf(owner, `?from=${from}&to=${from}`)).toMatchObject({ total: 1, added: 1 });
  });

  test('counts reachable and lost subscribers by day, even after a purge of deleted ones', async () => {
    const owner = await server.owner();
    const { accountId } = owner;
    const ago = (days: number) => new Date(clock.now().getTime() - days * 86_400_000);
    const from = ago(45).toISOString().slice(0, 10);
    const ids: number[] = [];
    await atInstant(ago(44).toISOString(), async () => {
      for (const name of ['a', 'b', 'c', 'd', 'e']) {
        ids.push(decodeId('subscriber', await add(owner, `${name}@people.example`)) ?? 0);
      }
    });
    const [leftId = 0, bounced = 0, complained = 0, deletedId = 0, smsId = 0] = ids;
    const changeOn = (days: number, change: (tx: Tx) => Promise<unknown>) =>
      atInstant(ago(days).toISOString(), () => inTransaction(server.db, change));
    const leave = (subscriberId: number) => (tx: Tx) =>
      unsubscribe(
        tx,
        accountId,
        { subscriberIds: [subscriberId] },
        { channel: 'email', reason: 'link' },
      );
    await changeOn(43, leave(leftId));
    await changeOn(42, (tx) =>
      bounce(tx, accountId, { subscriberIds: [bounced] }, { channel: 'email' }),
    );
    await changeOn(41, (tx) =>
      complain(tx, accountId, { subscriberIds: [complained] }, { channel: 'email' }),
    );
    await changeOn(40, (tx) => deleteSubscribers(tx, accountId, { subscriberIds: [deletedId] }));
    // The subscriber is reachable by SMS, so an unsubscribe from emails changes no count.
    await sql`update subscribers set sms_status = 'active'
      where account_id = ${accountId} and id = ${smsId}`.execute(server.db);
    await changeOn(39, leave(smsId));
    const growth = await growthOf(owner, `?from=${from}`);
    expect(growth).toMatchObject({ total: 1, added: 5, lost: 3, removed: 1 });
    expect(growth).toMatchObject({ unsubscribed: 1, bounced: 1, complained: 1 });
    const totals = growth.days.map((day: { total: number }) => day.total);
    expect(totals.slice(0, 8)).toEqual([0, 5, 4, 3, 2, 1, 1, 1]);
    const { data: now } = (await owner.get('/client-api/api/accounts/dashboard_reachable')).body;
    expect(now).toMatchObject({ reachable: 1, lost: 3, unsubscribed: 1, bounced: 1 });
    const { signal } = new AbortController();
    for (const _ of [1, 2]) await purgeJob.run({ after: 0 }, { db: server.db, signal });
    expect(await growthOf(owner, `?from=${from}`)).toEqual(growth);
    await changeOn(0, (tx) => deleteSubscribers(tx, accountId, { subscriberIds: [smsId] }));
    expect(await growthOf(owner, `?from=${from}`)).toMatchObject({ total: 0, lost: 3, removed: 2 });
    expect(await growthOf(await server.owner())).toMatchObject({ total: 0, lost: 0 });
  });

  test('counts reachable subscribers as billing does and by channel, and lost ones by reason', async () => {
    const owner = await server.owner();
    await add(owner, 'a@people.example');
    const leftId = await add(owner, 'b@people.example');
    const [bounced = '', complained = '', smsId = '', never = ''] = await Promise.all(
      ['c', 'd', 'e', 'f'].map((name) => add(owner, `${name}@people.example`)),
    );
    const ids = [bounced, complained, smsId, never].map((id) => decodeId('subscriber', id));
    await sql`update subscribers s set email_status = n.email, sms_status = n.sms
      from (values (${ids[0]}::bigint, 'bounced'::subscription_status, 'non-subscribed'::subscription_status),
        (${ids[1]}, 'reported', 'unsubscribed'), (${ids[2]}, 'unsubscribed', 'active'),
        (${ids[3]}, 'non-subscribed', 'non-subscribed')) as n (id, email, sms)
      where s.account_id = ${owner.accountId} and s.id = n.id`.execute(server.db);
    const body = { subscribers: [leftId], channel: 'email' };
    const response = await owner.post('/client-api/api/unsubscribes', body);
    expect(response.status).toBe(200);
    const now = await owner.get('/client-api/api/accounts/dashboard_reachable');
    expect(now.body.data).toEqual({
      ...{ reachable: 2, email: 1, sms: 1 },
      ...{ lost: 3, unsubscribed: 1, bounced: 1, complained: 1 },
    });
    const billing = (await owner.get('/client-api/api/billing')).body.data;
    expect(billing.usage.subscribers.used).toBe(2);
  });

  test('an account without subscribers has thirty days of zeros; invalid ranges and requests without a session are refused', async () => {
    const owner = await server.owner();
    const growth = await growthOf(owner);
    expect(growth).toMatchObject({ total: 0, added: 0, removed: 0 });
    expect(growth.days).toHaveLength(30);
    for (const query of [
      'from=2026-02-30',
      'from=x',
      'from=2001-01-01',
      'from=2999-01-01',
      'a=1',
    ]) {
      const response = await owner.get(`/client-api/api/accounts/dashboard_subscribers?${query}`);
      expect(response.status).toBe(422);
    }
    const signedOut = server.client();
    expect((await signedOut.get('/client-api/api/accounts/dashboard_usage')).status).toBe(401);
  });
});

describe('sending', () => {
  test('counts sent emails, bounces and complaints, and the month’s emails beside the plan’s limit', async () => {
    const owner = await server.owner();
    const { accountId } = owner;
    const relay = await startSmtpServer();
    const subscriberIds = await addPeople(server.db, accountId, 12);
    const messageId = await startMessage(server.db, accountId);
    const { message_id: _, ...source } = sampleSource({ account_id: accountId, subject: 'One' });
    await inTransaction(server.db, (tx) =>
      sendOne(tx, {
        accountId,
        kind: 'transactional',
        sourceId: 1,
        source,
        recipient: 'x@home.example',
        values: {},
        idempotencyKey: 'one',
      }),
    );
    await server.runJobs();
    startTestSender(server.db, relay.url);
    await waitForDelivery(server.db, accountId, messageId, isFinished);
    await expect.poll(async () => (await sendingOf(owner)).sent).toBe(13);
    // The verification email to the owner was sent as well, but system emails are not counted.
    const countSystemEmails = async () => {
      const { rows } = await sql<{ sent: number }>`
        select sum(c.accepted) as sent from delivery_counts c
        join messages m on m.account_id = c.account_id and m.id = c.message_id
        where c.account_id = ${accountId} and m.kind = 'letter'`.execute(server.db);
      return rows[0]?.sent;
    };
    await expect.poll(countSystemEmails).toBe(1);
    await relay.close();
    await inTransaction(server.db, async (tx) => {
      const events = subscriberIds.slice(0, 2).map((subscriberId) => ({ messageId, subscriberId }));
      await recordHardBounces(tx, accountId, events);
      await recordComplaints(tx, accountId, events.slice(0, 1));
    });
    expect(await sendingOf(owner)).toMatchObject({
      sent: 13,
      hard_bounces: 2,
      complaints: 1,
      soft_bounces: 0,
      unsubscribes: 0,
    });
    expect((await sendingOf(owner, '?from=2026-01-01&to=2026-01-02')).sent).toBe(0);
    const usage = await owner.get('/client-api/api/accounts/dashboard_usage');
    // Emails of the account's first minutes are counted, as on the billing page.
    expect(usage.body.data).toMatchObject({ sent: 13, limit: 15_000 });
    const billing = (await owner.get('/client-api/api/billing')).body.data;
    expect(billing.usage.emails).toEqual({ used: 13, limit: 15_000 });
    expect(billing.month.from.slice(0, 10)).toBe(usage.body.data.from);
    const otherOwner = await server.owner();
    expect(await sendingOf(otherOwner)).toMatchObject({ sent: 0, complaints: 0 });
    // Totals by time match the ledger.
    const { rows } = await sql<{ timed: number; counted: number }>`
      select (select sum(sent) from sent_times where account_id = ${accountId}) as timed,
        (select sum(c.accepted + c.failed + c.unknown) from delivery_counts c
          join messages m on m.account_id = c.account_id and m.id = c.message_id
          where c.account_id = ${accountId} and m.kind <> 'letter') as counted`.execute(server.db);
    expect(rows[0]?.timed).toBe(rows[0]?.counted);
  });
});

describe('bounces', () => {
  test('a bounce is counted once, with its earliest reply, no matter how often it is reported', async () => {
    const owner = await server.owner();
    const { accountId } = owner;
    const [leaverId, bouncedId] = (await addPeople(server.db, accountId, 2)) as [number, number];
    const messageId = await startMessage(server.db, accountId);
    const recipient = { account: accountId, message: messageId, subscriber: leaverId, ordinal: 1 };
    clock.advance(1000);
    const token = getInstallationTokens().make(recipient, 'link');
    const bytes = Buffer.from(`From: x@y.example\nSubject: unsubscribe ${token}\n\n`);
    const to = ['unsubscribe@bounce.example'];
    expect(await processReturnedEmail(server.db, { from: '', to, bytes })).toBe('unsubscribe');
    const recordBounce = (secondsAgo: number, reply: string) =>
      inTransaction(server.db, (tx) =>
        recordHardBounces(tx, accountId, [
          {
            messageId,
            subscriberId: bouncedId,
            at: new Date(clock.now().getTime() - secondsAgo * 1000),
            details: { code: '5.1.1', reply },
          },
        ]),
      );
    await recordBounce(20, 'second');
    await recordBounce(30, 'first');
    await recordBounce(10, 'third');
    expect(await sendingOf(owner)).toMatchObject({
      unsubscribes: 1,
      hard_bounces: 1,
      soft_bounces: 0,
      complaints: 0,
    });
    // Subscriber lists look up the reply at the instant of the outcome.
    const { rows } = await sql<{ reply: string }>`select e.details->>'reply' as reply from events e
      join outcomes o on o.account_id = e.account_id and o.message_id = e.message_id
        and o.subscriber_id = e.subscriber_id and o.hard_bounced_at = e.at
      where e.account_id = ${accountId} and e.subscriber_id = ${bouncedId}`.execute(server.db);
    expect(rows).toEqual([{ reply: 'first' }]);
  });
});

describe('stopped campaigns', () => {
  test('stopped campaigns are listed until they are resumed; campaigns that an owner paused and campaigns of other accounts are not', async () => {
    const owner = await server.owner();
    const otherOwner = await server.owner();
    const { data } = (await owner.post('/client-api/api/campaigns', { title: 'Spring tea' })).body;
    const stoppedOf = async (client: TestClient) =>
      (await client.get('/client-api/api/accounts/dashboard_stopped')).body.data;
    expect(await stoppedOf(owner)).toEqual([]);
    await addPeople(server.db, owner.accountId, 1);
    const messageId = await startMessage(server.db, owner.accountId);
    const setState = (state: string, reason: string | null) =>
      sql`update messages set state = ${state}, state_reason = ${reason}, kind = 'campaign',
          source_id = ${decodeId('campaign', data.id) ?? 0}
        where account_id = ${owner.accountId} and id = ${messageId}`.execute(server.db);
    await setState('paused', 'bounces_high');
    expect(await stoppedOf(owner)).toEqual([
      { id: data.id, title: 'Spring tea', reason: 'bounces_high' },
    ]);
    expect(await stoppedOf(otherOwner)).toEqual([]);
    await setState('paused', 'owner');
    expect(await stoppedOf(owner)).toEqual([]);
    await setState('sending', null);
    expect(await stoppedOf(owner)).toEqual([]);
    await setState('cancelled', null);
    expect(await stoppedOf(owner)).toEqual([]);
  });
});
