// The health of domains over HTTP, from delivery results and setbacks in the database.
import { sql } from 'kysely';
import { beforeAll, beforeEach, expect, onTestFinished, test } from 'vitest';
import { recordComplaints, recordHardBounces } from '#areas/tracking/server/index.ts';
import { MAILBOXES } from '#areas/subscribers/shared.ts';
import { clock } from '#platform/server/clock.ts';
import { inTransaction } from '#platform/server/database/database.ts';
import { type TestServer, testServer } from '#testing/setup/server.ts';
import { addPeople, startMessage } from '#testing/worlds/sending-helpers.ts';
import type { DomainHealth } from '../../contract.ts';
import { listBlocklists } from '../dns/blocklists.ts';
import { healthChanged } from '../index.ts';
import { findFirstBulkDay, readVolumes } from './health.sql.ts';
import { listHealth } from './list-health.ts';
import { measureHealth } from './measure.ts';

const API = '/client-api/api/deliverability';
let server: TestServer;

beforeAll(async () => {
  server = await testServer();
});
beforeEach(() => clock.freeze(new Date('2026-06-10T12:00:00Z')));

const tools = {
  hosts: { trackingHost: 'app.loom.shop', bounceHost: undefined, receivesReports: false },
  lists: listBlocklists({ spamhausKey: undefined, isBarracudaRegistered: false }),
  ownIps: [],
};

async function setUp() {
  const owner = await server.owner();
  const { accountId } = owner;
  const subscriberIds = await addPeople(server.db, accountId, 60, ['gmail.com', 'yahoo.com']);
  const messageId = await startMessage(server.db, accountId);
  const deliver = (mailbox: number, accepted: number, failed: number, day = '2026-06-09') =>
    sql`insert into lane_counts (account_id, message_id, lane, day, accepted, failed)
      values (${accountId}, ${messageId}, ${mailbox}, ${day}, ${accepted}, ${failed})`.execute(
      server.db,
    );
  const measure = () => measureHealth(server.db, accountId, tools);
  const health = async (client = owner): Promise<DomainHealth[]> =>
    (await client.get(`${API}/health`)).body.data;
  const at = clock.now();
  const createFacts = (ids: readonly number[]) =>
    ids.map((subscriberId) => ({ messageId, subscriberId, at }));
  return {
    owner,
    accountId,
    people: subscriberIds,
    deliver,
    measure,
    health,
    facts: createFacts,
    messageId,
  };
}

test('a negative setback count of one day does not reduce the setbacks of another day', async () => {
  const { accountId, messageId, deliver } = await setUp();
  await deliver(MAILBOXES.gmail, 1_000, 0);
  await sql`insert into setback_counts (account_id, message_id, mailbox, day, hard, policy, complaints)
    values (${accountId}, ${messageId}, ${MAILBOXES.gmail}, '2026-06-08', 5, 6, 7),
      (${accountId}, ${messageId}, ${MAILBOXES.gmail}, '2026-06-09', -2, -3, -4)`.execute(
    server.db,
  );
  const since = { day: '2026-06-04', waitingSince: clock.now() };
  expect(await readVolumes(server.db, accountId, since)).toMatchObject([
    { mailbox: MAILBOXES.gmail, accepted: 1_000, hard: 5, policy: 6, complaints: 7 },
  ]);
});

test('a domain has one state per mailbox provider, with causes and their dates', async () => {
  const {
    accountId,
    people: subscriberIds,
    deliver,
    measure,
    health,
    facts: createFacts,
  } = await setUp();
  expect(await health()).toEqual([]);
  await deliver(MAILBOXES.gmail, 5_000, 0);
  // These results are of another tier and wave of the same provider.
  await deliver(300 + MAILBOXES.yahoo, 2_000, 30);
  await deliver(MAILBOXES.proton, 40, 0);
  await deliver(MAILBOXES.gmx, 9_000, 0, '2026-06-01');
  const atYahoo = subscriberIds.filter((_, index) => index % 2 === 1);
  await inTransaction(server.db, async (tx) => {
    await recordComplaints(tx, accountId, createFacts(atYahoo.slice(0, 15)));
    await recordHardBounces(tx, accountId, createFacts(atYahoo));
  });
  const changes: unknown[] = [];
  onTestFinished(
    healthChanged.on(async (_, change) => {
      if (change.accountId === accountId) changes.push(change);
    }),
  );
  await measure();
  const [domain, ...others] = await health();
  expect(others).toEqual([]);
  const since = clock.now().toISOString();
  expect(domain).toMatchObject({ state: 'act', causes: [], measured: since });
  expect(domain?.mailboxes).toEqual([
    {
      ...{ mailbox: 'yahoo', state: 'act', since, sent: 2_030, reports_complaints: true },
      causes: [{ cause: 'complaints', level: 'act', since, count: 15, of: 2_000, detail: null }],
    },
    {
      ...{ mailbox: 'proton', state: 'no_data', since, sent: 40, reports_complaints: false },
      causes: [],
    },
    {
      ...{ mailbox: 'gmail', state: 'good', since, sent: 5_000, reports_complaints: false },
      causes: [],
    },
  ]);
  expect(changes).toMatchObject([
    { mailbox: MAILBOXES.yahoo, state: 'act', causes: [{ cause: 'complaints' }] },
  ]);
  // A second measurement with the same result emits no event.
  await measure();
  expect(changes).toHaveLength(1);
  const otherOwner = await server.owner();
  expect((await otherOwner.get(`${API}/health`)).body.data).toEqual([]);
});

test('a domain is a bulk sender from its first day with 5,000 emails to one large provider', async () => {
  const { accountId, deliver } = await setUp();
  const bulk = { mailboxes: [MAILBOXES.gmail, MAILBOXES.yahoo], emails: 5_000 };
  const findFirstDay = (domain: string) => findFirstBulkDay(server.db, accountId, domain, bulk);
  await deliver(MAILBOXES.gmail, 4_999, 0, '2026-06-01');
  await deliver(MAILBOXES.yahoo, 1, 0, '2026-06-01');
  await deliver(MAILBOXES.orange, 9_000, 0, '2026-06-02');
  expect(await findFirstDay('tea.example')).toBeNull();
  await deliver(MAILBOXES.gmail, 3_000, 0, '2026-06-03');
  // These emails are of another tier of the same provider.
  await deliver(100 + MAILBOXES.gmail, 2_000, 0, '2026-06-03');
  await deliver(MAILBOXES.gmail, 50_000, 0, '2026-06-04');
  expect(await findFirstDay('tea.example')).toBe('2026-06-03');
  // Emails of a subdomain count for its parent domain, but for no other domain.
  expect([await findFirstDay('example'), await findFirstDay('ea.example')]).toEqual([
    '2026-06-03',
    null,
  ]);
});

test('results older than seven days are ignored, and unused domains are removed', async () => {
  const { accountId, deliver, measure } = await setUp();
  // The health is read without a session, which would expire during the test.
  const health = () => listHealth(server.db, accountId);
  await deliver(MAILBOXES.gmail, 5_000, 0);
  await measure();
  expect((await health())[0]?.state).toBe('good');
  clock.advance(9 * 86_400_000);
  await measure();
  expect((await health())[0]?.state).toBe('no_data');
  clock.advance(32 * 86_400_000);
  await measure();
  expect(await health()).toEqual([]);
});

test('a stopped campaign and copies that have waited for hours are shown', async () => {
  const { accountId, deliver, measure, health, messageId, owner } = await setUp();
  await deliver(MAILBOXES.gmail, 300, 0);
  await sql`insert into deferrals (account_id, message_id, lane, ordinal, attempt, strikes, reason,
      first_at, next_attempt_at)
    select ${accountId}::bigint, ${messageId}::bigint, ${MAILBOXES.gmail}::smallint, n, 1, 1,
      'relay', ${clock.now()}::timestamptz - interval '5 hours', ${clock.now()}
    from generate_series(1001, 1200) n`.execute(server.db);
  await measure();
  const [domain] = await health();
  expect(domain?.mailboxes).toMatchObject([
    { state: 'act', causes: [{ cause: 'waiting', count: 200, of: 500 }] },
  ]);
  const name = domain?.domain_name ?? '';
  await server.db
    .insertInto('domains')
    .values({
      ...{ account_id: accountId, domain: name, email: `info@${name}` },
      ...{ created_at: clock.now(), modified_at: clock.now() },
    })
    .execute();
  await sql`update messages set state = 'paused', state_reason = 'complaints_high'
    where account_id = ${accountId} and id = ${messageId}`.execute(server.db);
  await measure();
  expect((await health(owner))[0]).toMatchObject({
    state: 'stopped',
    causes: [{ cause: 'stopped', level: 'act', count: 1 }],
  });
});

test('opens far below expectation at one provider are shown, but not 40 days later', async () => {
  const { accountId, measure, health, messageId: newest } = await setUp();
  const original = (await server.db
    .selectFrom('messages')
    .select('frozen')
    .where('account_id', '=', accountId)
    .where('id', '=', newest)
    .executeTakeFirstOrThrow()) as { frozen: unknown };
  const seal = async (days: number, yahoo: number) => {
    const messageId = days === 1 ? newest : await startMessage(server.db, accountId);
    await sql`update messages set frozen = ${JSON.stringify(original.frozen)}::jsonb
      where account_id = ${accountId} and id = ${messageId}`.execute(server.db);
    await sql`insert into sealed_campaigns (account_id, message_id, started_at, sealed_at)
      values (${accountId}, ${messageId}, ${clock.now()}::timestamptz - ${days} * interval '1 day',
        ${clock.now()})`.execute(server.db);
    await sql`insert into send_cells (account_id, message_id, mailbox, band, people, opens, clicks,
        unsubscribes, complaints, bounces, orders)
      select ${accountId}::bigint, ${messageId}::bigint, mailbox, 0, 5100, opens, 0, 0, 0, 100, 0
      from (values (${MAILBOXES.gmail}::int, 2000), (${MAILBOXES.microsoft}, 1200),
        (${MAILBOXES.yahoo}, ${yahoo}::int), (${MAILBOXES.apple}, 900)) c(mailbox, opens)`.execute(
      server.db,
    );
  };
  for (const days of [60, 50, 40, 30, 20]) await seal(days, 1500);
  await measure();
  expect(await health()).toEqual([]);
  await seal(1, 500);
  await measure();
  expect((await health())[0]?.mailboxes).toMatchObject([
    { mailbox: 'yahoo', state: 'watch', causes: [{ cause: 'opens', of: 1500, count: 1000 }] },
  ]);
  clock.advance(40 * 86_400_000);
  await measure();
  expect((await listHealth(server.db, accountId))[0]?.state).toBe('no_data');
});
