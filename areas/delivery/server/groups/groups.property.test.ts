// A simulator of subscribers, zones and the clock predicts which subscriber gets which message of a
// group, and when. The product must agree for any shares, own times and windows, and no matter how
// often the group is paused, its writer runs twice or its senders are replaced.
import { sql } from 'kysely';
import fc from 'fast-check';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { sampleSource } from '#areas/content/server/sample-source.ts';
import { computeBucket, computeRanges } from '#areas/experiments/server/index.ts';
import { decodeId } from '#platform/ids.ts';
import { clock } from '#platform/server/clock.ts';
import { inTransaction } from '#platform/server/database/database.ts';
import { toWallTime } from '#platform/server/zoned-time.ts';
import { checkInvariant, listRecipients } from '#testing/oracles/invariants.ts';
import { startSmtpServer, type TestSmtpServer } from '#testing/servers/smtp-server.ts';
import { propertyOptions } from '#testing/setup/property-runs.ts';
import { testServer } from '#testing/setup/server.ts';
import { campaignShop } from '#testing/worlds/campaign-shop.ts';
import { addPeople } from '#testing/worlds/sending-helpers.ts';
import { startTestSender } from '#testing/worlds/sender.ts';
import { toLeadId } from '../../lead-id.ts';
import {
  planWaves,
  pauseMessage,
  readDelivery,
  resumeMessage,
  startGroup,
  startRemainingMessage,
  type WavePlan,
  type WaveRule,
  writeAudienceJob,
} from '../ledger/index.ts';
import { wavesPoller } from '../waves/waves.ts';

const server = await testServer();
const { db } = server;
let relay: TestSmtpServer;

beforeAll(async () => {
  relay = await startSmtpServer();
});
afterAll(async () => {
  clock.reset();
  await relay.close();
});

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;
const ACCOUNT_ZONE = 'Europe/Oslo';
/**
 * The first and the last zone, zones with offsets of quarter and half hours, and an unknown zone.
 */
const ZONES = [
  ...['Pacific/Kiritimati', 'Asia/Kathmandu', 'Australia/Lord_Howe', 'America/New_York'],
  ...['Etc/GMT+12', ACCOUNT_ZONE, undefined],
];
const OWN_HOUR = 10;
/** Own times close after three hours. */
const OWN_HOURS = [10, 11, 12];
const WINDOW = { from: 9, to: 17, days: [1, 2, 3, 4, 5], zone: 'account' } as const;

type TimingChoice = 'at once' | 'own time' | 'window';
/**
 * What happens to a subscriber: nothing, or a change before the start, before the variants, or
 * before the message to the remaining recipients.
 */
type RecipientFate = 'stays' | 'unsubscribed before' | 'unsubscribes' | 'leaves the group';
type Recipient = { zone: string | undefined; fate: RecipientFate };

const recipients = fc.array(
  fc.record({
    zone: fc.constantFrom(...ZONES),
    fate: fc.oneof(
      { weight: 5, arbitrary: fc.constant<RecipientFate>('stays') },
      {
        weight: 2,
        arbitrary: fc.constantFrom<RecipientFate>(
          'unsubscribed before',
          'unsubscribes',
          'leaves the group',
        ),
      },
    ),
  }),
  { minLength: 20, maxLength: 60 },
);
const groupShares = fc
  .record({
    variants: fc.integer({ min: 2, max: 5 }),
    testShare: fc.integer({ min: 10, max: 100 }),
    holdout: fc.integer({ min: 0, max: 20 }),
  })
  .map(({ variants, testShare, holdout }) => ({
    ...{ variants, testShare },
    holdoutShare: Math.min(holdout, 100 - testShare),
  }));
/** Actions during sending, each after the given number of clock advances. */
const actions = fc.array(
  fc.record({
    at: fc.integer({ min: 0, max: 8 }),
    what: fc.constantFrom('pause', 'new sender', 'second sender'),
    hours: fc.integer({ min: 1, max: 30 }),
  }),
  { maxLength: 3 },
);

type Fixture = {
  accountId: number;
  groupId: number;
  ids: readonly number[];
  salt: string;
  timing: TimingChoice;
};

/** Monday, 20:00 UTC, when it is 10:00 on Tuesday in Kiritimati. */
let start = Date.parse('2031-06-02T20:00:00Z');

/** Sets the clock to the start of the next run, weeks after the previous one. */
function nextStart(): void {
  clock.reset();
  clock.advance(start - clock.now().getTime());
  start += 28 * DAY_MS;
}

async function populate(
  persons: readonly Recipient[],
  timing: TimingChoice,
  salt: string,
): Promise<Fixture> {
  const { owner, ids, groupId } = await campaignShop(server, persons.length);
  const { accountId } = owner;
  const zones = persons.map(({ zone }) => zone ?? null);
  await sql`update subscribers s set timezone = z.zone, country = null
    from unnest(${ids}::bigint[], ${zones}::text[]) z(id, zone)
    where s.account_id = ${accountId} and s.id = z.id`.execute(db);
  const fixture = { accountId, groupId: decodeId('group', groupId) as number, ids, salt, timing };
  await unsubscribe(fixture, persons, 'unsubscribed before');
  return fixture;
}

const idsWith = ({ ids }: Fixture, persons: readonly Recipient[], fate: RecipientFate) =>
  ids.filter((_, at) => persons[at]?.fate === fate);

async function unsubscribe(
  fixture: Fixture,
  persons: readonly Recipient[],
  fate: RecipientFate,
): Promise<void> {
  const ids = idsWith(fixture, persons, fate);
  await sql`update subscribers set email_status = 'unsubscribed'
    where account_id = ${fixture.accountId} and id = any(${ids}::bigint[])`.execute(db);
}

function wavesOf(timing: TimingChoice): WavePlan | undefined {
  const now = clock.now();
  const tomorrow = toWallTime(new Date(now.getTime() + DAY_MS), 'UTC').slice(0, 10);
  const accountRule: WaveRule['when'] = { by: 'wall', wall: `${tomorrow} ${OWN_HOUR}:00:00` };
  return planWaves({
    when: timing === 'own time' ? accountRule : { by: 'instant', at: now.toISOString() },
    ...{ zone: ACCOUNT_ZONE, startedAt: now.toISOString(), past: 'next_day', salt: 'campaigns/1' },
    ...{ window: timing === 'window' ? WINDOW : null, spreadHours: null },
  });
}

function newMessage(accountId: number) {
  const { message_id: _, ...source } = sampleSource({ account_id: accountId });
  return { accountId, kind: 'campaign', sourceId: 1, source } as const;
}

/**
 * Runs the writer twice concurrently, as after a lost lock. The second may fail and writes nothing.
 */
async function writeAudience({ accountId }: Fixture, messageId: number): Promise<void> {
  const tools = { db, signal: new AbortController().signal };
  const run = () => writeAudienceJob.run({ accountId, messageId }, tools);
  await Promise.allSettled([run(), run()]);
  await server.runJobs();
}

/** Counts recipients without an attempt whose wave is open, and handoffs in flight. */
async function countWaiting(accountId: number): Promise<number> {
  const now = clock.now();
  const { rows } = await sql<{ count: number }>`
    with open as (
      select l.* from lanes l join messages m on m.account_id = l.account_id and m.id = l.message_id
      where l.account_id = ${accountId} and m.state in ('preparing', 'sending', 'waiting')
        and (l.opens_at is null or l.opens_at <= ${now})
        and (l.closes_at is null or l.closes_at > ${now})
    )
    select (select count(*) from open where leased < written)
      + (select count(*) from leases f where f.account_id = ${accountId} and not f.is_done
        and (f.owner <> '' or exists (select from open where open.message_id = f.message_id
          and open.lane = f.lane))) as count`.execute(db);
  return rows[0]?.count ?? 0;
}

type PlannedAction = { at: number; what: string; hours: number };

/** Advances the clock from wave to wave until all messages are finished. */
async function sendAll(
  { accountId }: Fixture,
  messageIds: readonly number[],
  plannedActions: readonly PlannedAction[],
): Promise<void> {
  const lead = messageIds[0] as number;
  const senders = [startTestSender(db, relay.url)];
  for (let attempt = 0; attempt < 200; attempt++) {
    await wavesPoller.run(db, new AbortController().signal);
    for (const { what, hours } of plannedActions.filter(({ at }) => at === attempt)) {
      if (what === 'pause') {
        await inTransaction(db, (tx) => pauseMessage(tx, accountId, lead));
        clock.advance(hours * HOUR_MS);
        await inTransaction(db, (tx) => resumeMessage(tx, accountId, lead));
      } else {
        if (what === 'new sender') await senders.pop()?.close();
        senders.push(startTestSender(db, relay.url));
      }
      await wavesPoller.run(db, new AbortController().signal);
    }
    await expect.poll(() => countWaiting(accountId), { timeout: 20_000, interval: 25 }).toBe(0);
    const deliveries = await readDelivery(db, accountId, messageIds);
    if (deliveries.every(({ state }) => state === 'finished')) break;
    const next = deliveries.flatMap(({ nextWave }) => nextWave?.at.getTime() ?? []);
    const now = clock.now().getTime();
    clock.advance(next.length > 0 ? Math.max(0, Math.min(...next) - now) + 1000 : HOUR_MS);
  }
  for (const sender of senders) await sender.close();
}

/** Returns whether a subscriber may get the message at this instant, by the zone that applies. */
function isInTime(timing: TimingChoice, zone: string | undefined, at: Date): boolean {
  if (timing === 'at once') return true;
  const clockZone = timing === 'own time' ? (zone ?? ACCOUNT_ZONE) : ACCOUNT_ZONE;
  const wallTime = toWallTime(at, clockZone);
  const hour = Number(wallTime.slice(11, 13));
  if (timing === 'own time') return OWN_HOURS.includes(hour);
  const day = new Date(`${wallTime.slice(0, 10)}T00:00:00Z`).getUTCDay();
  return hour >= WINDOW.from && hour < WINDOW.to && day >= 1 && day <= 5;
}

async function timesOf(accountId: number, messageId: number): Promise<Map<number, Date>> {
  const { rows } = await sql<{ id: number; at: Date }>`
    select r.subscriber_id as id, a.at from results a
    join recipients r using (account_id, message_id, lane, ordinal)
    where a.account_id = ${accountId} and a.message_id = ${messageId} and a.state = 'accepted'`.execute(
    db,
  );
  return new Map(rows.map(({ id, at }) => [id, at]));
}

async function listHoldouts(accountId: number, lead: number): Promise<number[]> {
  const { rows } = await sql<{ id: number }>`
    select block * 64 + bit as id from message_holdouts, generate_series(0, 63) bit
    where account_id = ${accountId} and message_id = ${lead}
      and (bits >> bit::int) & 1 = 1 order by 1`.execute(db);
  return rows.map(({ id }) => id);
}

/** Compares the ledger of one message with the simulator's prediction. */
async function expectMessage(
  fixture: Fixture,
  persons: readonly Recipient[],
  messageId: number,
  expected: ReadonlyMap<number, 'accepted' | 'skipped'>,
): Promise<void> {
  const { accountId, ids, timing } = fixture;
  const recipients = await listRecipients(db, accountId, messageId);
  expect(
    new Map(recipients.map((recipient) => [recipient.subscriber_id, recipient.state])),
  ).toEqual(expected);
  expect(recipients).toHaveLength(expected.size);
  for (const [id, at] of await timesOf(accountId, messageId)) {
    const zone = persons[ids.indexOf(id)]?.zone;
    expect(isInTime(timing, zone, at), `${zone} at ${at.toISOString()}`).toBe(true);
  }
  const log = relay.accepted.map((copy) => copy.messageId);
  expect((await checkInvariant(db, accountId, messageId, log)).problems).toEqual([]);
}

test('each selected subscriber is in one variant, the remaining recipients or the holdout group, and gets the message in time', () =>
  fc.assert(
    fc.asyncProperty(
      recipients,
      groupShares,
      fc.constantFrom<TimingChoice>('at once', 'own time', 'window'),
      actions,
      fc.uuid(),
      async (persons, parts, timing, plannedActions, salt) => {
        nextStart();
        const fixture = await populate(persons, timing, salt);
        const { accountId, ids, groupId } = fixture;
        const ranges = computeRanges(parts);
        const waves = wavesOf(timing);
        const audience = {
          ...{ all: false, groups: [groupId], excluded: [] },
          ...(waves && { waves }),
        };
        const message = newMessage(accountId);
        const { messageIds } = await inTransaction(db, (tx) =>
          startGroup(
            tx,
            {
              salt,
              parts: ranges.variants.map((range) => ({ message, range })),
              holdout: ranges.holdout,
            },
            audience,
          ),
        );
        const lead = messageIds[0] as number;
        await writeAudience(fixture, lead);
        await unsubscribe(fixture, persons, 'unsubscribes');
        const newcomers = await addPeople(db, accountId, 3, ['later.example']);
        await sql`insert into group_members (account_id, group_id, subscriber_id, created_at)
          select ${accountId}::bigint, ${groupId}::bigint, id, ${clock.now()}
          from unnest(${newcomers}::bigint[]) id`.execute(db);
        await sendAll(fixture, messageIds, plannedActions);

        const fateOf = (id: number) => persons[ids.indexOf(id)]?.fate;
        const chosenIds = ids.filter((id) => fateOf(id) !== 'unsubscribed before');
        const inRange = ({ from, to }: { from: number; to: number }) =>
          chosenIds.filter((id) => computeBucket(salt, id) >= from && computeBucket(salt, id) < to);
        const stateOf = (id: number) =>
          fateOf(id) === 'unsubscribes' ? ('skipped' as const) : ('accepted' as const);
        for (const [at, range] of ranges.variants.entries()) {
          const expected = new Map(inRange(range).map((id) => [id, stateOf(id)]));
          await expectMessage(fixture, persons, messageIds[at] as number, expected);
        }
        expect(await listHoldouts(accountId, lead)).toEqual(
          inRange(ranges.holdout).sort((a, b) => a - b),
        );

        await sql`delete from group_members where account_id = ${accountId}
          and subscriber_id = any(${idsWith(fixture, persons, 'leaves the group')}::bigint[])`.execute(
          db,
        );
        const plan = { lead: toLeadId(lead), message, range: ranges.rest, opensAt: undefined };
        const { messageId } = await inTransaction(db, (tx) =>
          startRemainingMessage(tx, { ...plan, waves: wavesOf(timing) }),
        );
        await writeAudience(fixture, messageId);
        await sendAll(fixture, [messageId], plannedActions);
        const stayedIds = inRange(ranges.rest).filter((id) => fateOf(id) === 'stays');
        const expected = new Map(stayedIds.map((id) => [id, 'accepted' as const]));
        await expectMessage(fixture, persons, messageId, expected);
      },
    ),
    propertyOptions(60, 3),
  ));
