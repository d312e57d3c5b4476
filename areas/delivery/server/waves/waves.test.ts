// Waves in the ledger: local times in four zones, statuses at the handoff, missed waves, retries
// and spreads.
import { sql } from 'kysely';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { clock } from '#platform/server/clock.ts';
import { inTransaction } from '#platform/server/database/database.ts';
import { listRecipients } from '#testing/oracles/invariants.ts';
import {
  addPeople,
  ALL_SUBSCRIBERS,
  isFinished,
  startMessage,
  waitForDelivery,
} from '#testing/worlds/sending-helpers.ts';
import { startTestSender } from '#testing/worlds/sender.ts';
import { testServer } from '#testing/setup/server.ts';
import { startSmtpServer, type TestSmtpServer } from '#testing/servers/smtp-server.ts';
import {
  listContactsSince,
  type MessageDelivery,
  pauseMessage,
  readDelivery,
  resumeMessage,
} from '../ledger/index.ts';
import { listOpenMessages } from '../ledger/open-messages.sql.ts';
import { FIRST_MESSAGE_KEY } from '../ledger/pages.ts';
import { retryMessage } from '../ledger/control.ts';
import { explainMessageDelivery } from '../why/why.ts';
import { planWaves, type WavePlan, type WaveRule } from './wave-plan.ts';
import { wavesPoller } from './waves.ts';

const server = await testServer();
const { db } = server;
let relay: TestSmtpServer;

beforeEach(async () => {
  relay = await startSmtpServer();
  return async () => {
    await sql`update messages set state = 'cancelled'`.execute(db);
    await relay.close();
  };
});

afterEach(() => clock.reset());

const poll = () => wavesPoller.run(db, new AbortController().signal);
const goTo = (at: string) => clock.advance(new Date(at).getTime() - clock.now().getTime());
const localTime: WaveRule['when'] = { by: 'wall', wall: '2027-06-02 10:00:00' };

const planOf = (changes: Partial<WaveRule>): WavePlan =>
  planWaves({
    when: { by: 'instant', at: clock.now().toISOString() },
    zone: 'Europe/Oslo',
    startedAt: clock.now().toISOString(),
    past: 'next_day',
    window: null,
    spreadHours: null,
    salt: 'campaign 1',
    ...changes,
  }) as WavePlan;

/**
 * Starts a message to two subscribers in each location; `people` lists their IDs in the order of
 * the locations.
 */
async function startInPlaces(places: readonly object[], waves: () => WavePlan) {
  const { accountId } = await server.owner();
  const subscriberIds = await addPeople(db, accountId, places.length * 2);
  for (const [at, place] of places.entries()) {
    const ids = subscriberIds.slice(at * 2, at * 2 + 2);
    const { timezone, country, phone } = place as Record<string, string | undefined>;
    await sql`update subscribers set timezone = ${timezone ?? null}, country = ${country ?? null},
        phone_key = ${phone ? sql`${phone} || id` : null}
      where account_id = ${accountId} and id = any(${ids}::bigint[])`.execute(db);
  }
  const audience = { ...ALL_SUBSCRIBERS, waves: waves() };
  const messageId = await startMessage(db, accountId, {}, audience);
  await server.runJobs();
  return { accountId, messageId, people: subscriberIds };
}

const hasAccepted =
  (count: number) =>
  ({ counts }: MessageDelivery) =>
    counts.accepted === count;

test('recipients get the email at their local time, based on time zone, country or phone number', async () => {
  goTo('2027-06-01T20:00:00.000Z');
  const { accountId, messageId, people } = await startInPlaces(
    [{ timezone: 'Asia/Tokyo' }, { country: 'NO' }, { phone: '+9779812345' }, {}],
    () => planOf({ when: localTime, zone: 'America/New_York' }),
  );
  // 10:00 comes first in Tokyo, then in Kathmandu, in Oslo and, for unknown locations, in New York.
  const [delivery] = await readDelivery(db, accountId, [messageId]);
  expect(delivery?.nextWave).toEqual({ at: new Date('2027-06-02T01:00:00Z'), count: 2 });
  expect(delivery?.counts.pending).toBe(8);
  const explanation = await explainMessageDelivery(db, accountId, messageId, people[2] as number);
  expect(explanation).toMatchObject({ answer: 'waits' });
  const waits = { kind: 'queued', reason: 'wave', at: '2027-06-02T08:00:00.000Z' };
  expect(explanation.steps).toMatchObject([{ kind: 'matched' }, waits]);
  await poll();
  const open = () =>
    listOpenMessages(db, { channel: 'email' }, clock.now(), { after: FIRST_MESSAGE_KEY, size: 9 });
  expect(await open()).toEqual([]);

  goTo('2027-06-02T01:00:00.000Z');
  expect(await open()).toMatchObject([{ id: messageId }]);
  startTestSender(db, relay.url);
  await waitForDelivery(db, accountId, messageId, hasAccepted(2));
  await poll();
  expect(await open()).toEqual([]);
  // A recipient who unsubscribes before the wave is skipped at the handoff.
  await sql`update subscribers set email_status = 'unsubscribed'
    where account_id = ${accountId} and id = ${people[2]}`.execute(db);
  const contacts = await listContactsSince(db, accountId, people, clock.now());
  const times = contacts.filter(({ subscriberId }) => subscriberId === people[6]);
  expect(times).toEqual([
    { subscriberId: people[6], at: new Date('2027-06-02T14:00:00Z'), state: null },
  ]);

  goTo('2027-06-02T04:15:00.000Z');
  await waitForDelivery(db, accountId, messageId, hasAccepted(4));
  goTo('2027-06-02T08:00:00.000Z');
  await waitForDelivery(db, accountId, messageId, hasAccepted(5));
  expect((await readDelivery(db, accountId, [messageId]))[0]).toMatchObject({
    state: 'sending',
    counts: { pending: 2, skipped: 1 },
  });
  goTo('2027-06-02T14:00:00.000Z');
  const done = await waitForDelivery(db, accountId, messageId, isFinished);
  expect(done).toMatchObject({ audience: 8, nextWave: null, counts: { accepted: 7, skipped: 1 } });
  const { rows } = await sql<{ id: number; at: Date }>`
    select r.subscriber_id as id, a.at from results a
    join recipients r using (account_id, message_id, lane, ordinal)
    where a.account_id = ${accountId} and a.message_id = ${messageId} and a.state = 'accepted'
    order by a.at, r.subscriber_id`.execute(db);
  expect(rows.map(({ at }) => at.toISOString().slice(11, 13))).toEqual([
    '01',
    '01',
    '04',
    '04',
    '08',
    '14',
    '14',
  ]);
});

test('a wave missed because of a pause opens the next day, and only retries are sent before then', async () => {
  goTo('2027-07-01T08:00:00.000Z');
  const window = { from: 9, to: 18, days: [1, 2, 3, 4, 5, 6, 7], zone: 'account' } as const;
  const { accountId, messageId } = await startInPlaces([{}, {}, {}], () => planOf({ window }));
  relay.script.rcpt = () => '451 4.7.1 Greylisted';
  startTestSender(db, relay.url);
  await waitForDelivery(db, accountId, messageId, ({ counts }) => counts.deferred === 6);
  await inTransaction(db, (tx) => pauseMessage(tx, accountId, messageId));
  // Adds a recipient whose range was leased and released before the handoff.
  await sql`update lanes set written = written + 1, leased = leased + 1
    where account_id = ${accountId} and message_id = ${messageId}
      and lane = (select min(lane) from lanes where account_id = ${accountId}
        and message_id = ${messageId})`.execute(db);
  const [extra] = await addPeople(db, accountId, 1, ['late.example']);
  await sql`with l as (select lane, written from lanes where account_id = ${accountId}
        and message_id = ${messageId} order by lane limit 1), r as (
      insert into recipients (account_id, message_id, lane, ordinal, subscriber_id)
      select ${accountId}::bigint, ${messageId}::bigint, lane, written, ${extra}::bigint from l)
    insert into leases
      (account_id, message_id, lane, from_ordinal, to_ordinal, started_to, owner, expires_at)
    select ${accountId}::bigint, ${messageId}::bigint, lane, written, written, written - 1, '',
      ${clock.now()} from l`.execute(db);
  await sql`update delivery_counts set audience = audience + 1
    where account_id = ${accountId} and message_id = ${messageId}`.execute(db);

  delete relay.script.rcpt;
  goTo('2027-07-01T17:00:00.000Z');
  await inTransaction(db, (tx) => resumeMessage(tx, accountId, messageId));
  // Retries are sent when due; the added recipient's copy waits for the morning.
  await waitForDelivery(db, accountId, messageId, hasAccepted(6));
  await poll();
  const { rows } = await sql<{ opens_at: Date }>`select distinct opens_at from lanes
    where account_id = ${accountId} and message_id = ${messageId}
      and closes_at > ${clock.now()}`.execute(db);
  expect(rows).toEqual([{ opens_at: new Date('2027-07-02T07:00:00Z') }]);
  await new Promise((resolve) => setTimeout(resolve, 1_200));
  const listReceived = () => relay.accepted.filter(({ to }) => to[0]?.startsWith('person'));
  expect(listReceived()).toHaveLength(6);
  goTo('2027-07-02T07:00:00.000Z');
  const delivery = await waitForDelivery(db, accountId, messageId, isFinished);
  expect(delivery.counts).toMatchObject({ accepted: 7 });
});

test('the owner’s retry wakes a message that waits for its next wave', async () => {
  goTo('2027-08-01T20:00:00.000Z');
  const { accountId, messageId } = await startInPlaces(
    [{ timezone: 'Asia/Tokyo' }, { timezone: 'Europe/Oslo' }],
    () => planOf({ when: { by: 'wall', wall: '2027-08-02 10:00:00' } }),
  );
  relay.script.data = () => '554 5.7.1 Refused by policy';
  goTo('2027-08-02T01:00:00.000Z');
  startTestSender(db, relay.url);
  await waitForDelivery(db, accountId, messageId, ({ counts }) => counts.failed === 2);
  await poll();
  delete relay.script.data;
  const retriedCount = await inTransaction(db, (tx) =>
    retryMessage(tx, accountId, messageId, 'failed'),
  );
  expect(retriedCount).toBe(2);
  await waitForDelivery(db, accountId, messageId, hasAccepted(2));
  goTo('2027-08-02T08:00:00.000Z');
  const secondDelivery = await waitForDelivery(db, accountId, messageId, isFinished);
  expect(secondDelivery.counts).toMatchObject({ accepted: 4, failed: 0 });
});

test('a spread assigns each recipient to one slot, and a similar number to each slot', async () => {
  const { accountId } = await server.owner();
  await addPeople(db, accountId, 400);
  const waves = planOf({ spreadHours: 2 });
  const messageId = await startMessage(db, accountId, {}, { ...ALL_SUBSCRIBERS, waves });
  await server.runJobs();
  const recipients = await listRecipients(db, accountId, messageId);
  expect(new Set(recipients.map((recipient) => recipient.subscriber_id)).size).toBe(400);
  const { rows } = await sql<{ opens_at: Date; count: number }>`
    select opens_at, sum(written) as count from lanes
    where account_id = ${accountId} and message_id = ${messageId}
    group by opens_at order by opens_at`.execute(db);
  expect(rows).toHaveLength(8);
  expect(Math.min(...rows.map((row) => Number(row.count)))).toBeGreaterThan(25);
});
