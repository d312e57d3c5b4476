// The autopilot over HTTP, with results in the database: suggestions, moves that take effect in the
// limits of senders, and undone moves.
import { sql } from 'kysely';
import { beforeEach, expect, onTestFinished, test } from 'vitest';
import { recordComplaints } from '#areas/tracking/server/index.ts';
import { MAILBOXES } from '#areas/subscribers/shared.ts';
import { clock } from '#platform/server/clock.ts';
import { inTransaction } from '#platform/server/database/database.ts';
import { testServer } from '#testing/setup/server.ts';
import { addPeople, startMessage } from '#testing/worlds/sending-helpers.ts';
import type { PilotMoveEntry, PilotOfDomain } from '../../pilot-contract.ts';
import { pilotHolds, pilotMoved } from '../events.ts';
import type { MeasuredCause } from '../health/health.ts';
import { saveHealth } from '../health/health.sql.ts';
import { runPilots } from './run.ts';

const API = '/client-api/api/deliverability/pilot';
const GMAIL = { domain_name: 'tea.example', mailbox: 'gmail' };
const MINUTE_MS = 60_000;
const server = await testServer();
const { db } = server;

beforeEach(() => clock.freeze(new Date('2026-06-10T12:00:00Z')));

type PilotResults = { accepted?: number; failed?: number; throttled?: number };

async function setUp() {
  const owner = await server.owner();
  const { accountId } = owner;
  const subscriberIds = await addPeople(db, accountId, 60, ['gmail.com']);
  const messageId = await startMessage(db, accountId);
  const deliver = async ({ accepted = 0, failed = 0, throttled = 0 }: PilotResults) => {
    const day = clock.now().toISOString().slice(0, 10);
    await sql`insert into lane_counts
        (account_id, message_id, lane, day, accepted, failed, throttled)
      values (${accountId}, ${messageId}, ${MAILBOXES.gmail}, ${day}, ${accepted}, ${failed},
        ${throttled})
      on conflict (account_id, message_id, lane, day) do update set
        accepted = lane_counts.accepted + excluded.accepted,
        failed = lane_counts.failed + excluded.failed,
        throttled = lane_counts.throttled + excluded.throttled`.execute(db);
  };
  const run = () => runPilots(db, accountId);
  /** Adds the results and runs the autopilot every five minutes for `count` hours. */
  const runHours = async (count: number, results: PilotResults = {}) => {
    for (let step = 0; step < count * 12; step++) {
      clock.advance(5 * MINUTE_MS);
      await deliver(results);
      await run();
    }
    // Renews the session, which has expired.
    await owner.post('/auth/api/refresh');
  };
  const listPilots = async (client = owner): Promise<PilotOfDomain[]> =>
    (await client.get(API)).body.data;
  const readGmailPilot = async () => (await listPilots())[0]?.mailboxes[0];
  const caps = async () =>
    (
      await sql<{ per_hour: number | null; is_engaged_only: boolean }>`
        select per_hour, is_engaged_only from provider_caps where account_id = ${accountId}`.execute(
        db,
      )
    ).rows;
  return {
    owner,
    accountId,
    people: subscriberIds,
    messageId,
    deliver,
    run,
    runHours,
    pilots: listPilots,
    gmail: readGmailPilot,
    caps,
  };
}

const summary = ({ move, cause, state, from_per_hour, to_per_hour }: PilotMoveEntry) =>
  `${state}: ${move} (${cause}) ${from_per_hour} to ${to_per_hour}`;

test('deferrals produce a suggestion that changes nothing until it is applied', async () => {
  const { owner, accountId, deliver, run, runHours, pilots, gmail, caps } = await setUp();
  expect(await pilots()).toEqual([]);
  const moves: unknown[] = [];
  onTestFinished(
    pilotMoved.on(async (_, event) => {
      if (event.accountId === accountId) moves.push(event);
    }),
  );
  await deliver({ accepted: 60 });
  await run();
  await runHours(1, { accepted: 20, throttled: 10 });
  expect(moves).toMatchObject([
    { domain: 'tea.example', move: 'slow', count: 70, of: 210, toPerHour: 105, state: 'suggested' },
  ]);
  const row = await gmail();
  expect(row).toMatchObject({ mode: 'suggest', per_hour: null, is_paused: false });
  expect(row?.moves.map(summary)).toEqual(['suggested: slow (deferrals) null to 105']);
  const id = row?.moves[0]?.id;
  expect(row?.moves[0]).toMatchObject({ count: 70, of: 210, can_undo: true });
  expect(await caps()).toEqual([]);

  const otherOwner = await server.owner();
  expect((await otherOwner.post(`${API}/moves/${id}/apply`)).status).toBe(404);
  expect((await owner.post(`${API}/moves/${id}/apply`)).status).toBe(200);
  expect((await owner.post(`${API}/moves/${id}/apply`)).body.code).toBe('pilot_move_over');
  expect(await caps()).toEqual([{ per_hour: 105, is_engaged_only: false }]);
  expect(await gmail()).toMatchObject({ per_hour: 105, moves: [{ state: 'done' }] });

  // Clean results raise the applied limit even in the mode `suggest`.
  await runHours(3, { accepted: 9 });
  expect((await gmail())?.moves.map(summary)).toEqual([
    'done: raise (clean) 105 to 132',
    'done: slow (deferrals) null to 105',
  ]);
  expect(await caps()).toEqual([{ per_hour: 132, is_engaged_only: false }]);
});

test('complaints pause sending to a provider in mode `act`, and an undo prevents moves for seven days', async () => {
  const {
    owner,
    accountId,
    people: subscriberIds,
    messageId,
    deliver,
    run,
    runHours,
    gmail,
    caps,
  } = await setUp();
  await deliver({ accepted: 5_000 });
  await run();
  expect((await owner.put(API, { ...GMAIL, mode: 'act' })).status).toBe(200);
  expect(await caps()).toEqual([{ per_hour: null, is_engaged_only: false }]);
  await runHours(1, { accepted: 150 });
  await inTransaction(db, (tx) =>
    recordComplaints(
      tx,
      accountId,
      subscriberIds
        .slice(0, 30)
        .map((subscriberId) => ({ messageId, subscriberId, at: clock.now() })),
    ),
  );
  await runHours(1, { accepted: 150 });
  const row = await gmail();
  expect(row).toMatchObject({ mode: 'act', per_hour: 20, is_paused: true });
  expect(row?.moves.map(summary)).toEqual(['done: pause (complaints) null to 20']);
  expect(await caps()).toEqual([{ per_hour: 20, is_engaged_only: true }]);

  const id = row?.moves[0]?.id;
  expect((await owner.post(`${API}/moves/${id}/undo`)).status).toBe(200);
  expect((await owner.post(`${API}/moves/${id}/undo`)).body.code).toBe('pilot_move_over');
  expect(await caps()).toEqual([{ per_hour: null, is_engaged_only: false }]);
  const heldUntil = '2026-06-17T14:00:00.000Z';
  expect(await gmail()).toMatchObject({ held_until: heldUntil, moves: [{ state: 'undone' }] });
  await runHours(2, { accepted: 100, throttled: 100 });
  expect((await gmail())?.moves).toHaveLength(1);
});

test('a domain that is new at a provider starts with a low limit, and the mode `off` removes the limit', async () => {
  const { owner, deliver, run, gmail, caps, pilots } = await setUp();
  await deliver({ accepted: 100 });
  await run();
  const setMode = (body: object) => owner.put(API, { ...GMAIL, ...body });
  expect((await setMode({ mode: 'act' })).status).toBe(200);
  expect((await gmail())?.moves.map(summary)).toEqual(['done: begin (new) null to 50']);
  expect(await caps()).toEqual([{ per_hour: 50, is_engaged_only: false }]);
  // A repeated call has no effect.
  expect((await setMode({ mode: 'act' })).status).toBe(200);
  expect((await gmail())?.moves).toHaveLength(1);
  expect((await setMode({ mode: 'off' })).status).toBe(200);
  expect(await caps()).toEqual([]);
  expect(await gmail()).toMatchObject({ mode: 'off', per_hour: null });
  expect((await setMode({ domain_name: 'other.example', mode: 'act' })).status).toBe(404);
  expect((await setMode({ mailbox: 'other', mode: 'act' })).status).toBe(422);
  const otherOwner = await server.owner();
  expect(await pilots(otherOwner)).toEqual([]);
  expect((await otherOwner.put(API, { ...GMAIL, mode: 'act' })).status).toBe(404);
});

test('the mode `off` makes no moves, and two concurrent runs make only one move', async () => {
  const { owner, deliver, run, runHours, gmail } = await setUp();
  await deliver({ accepted: 60 });
  await run();
  await owner.put(API, { ...GMAIL, mode: 'off' });
  await runHours(1, { accepted: 20, throttled: 10 });
  expect((await gmail())?.moves).toEqual([]);
  await owner.put(API, { ...GMAIL, mode: 'suggest' });
  await Promise.all([run(), run()]);
  expect((await gmail())?.moves).toHaveLength(1);
});

test('two shortfalls of opens restrict emails to engaged subscribers until opens recover', async () => {
  const { owner, accountId, deliver, run, runHours, gmail, caps } = await setUp();
  await deliver({ accepted: 60 });
  await run();
  const since = clock.now().toISOString();
  const setHealth = (causes: MeasuredCause[]) =>
    inTransaction(db, (tx) =>
      saveHealth(tx, accountId, [
        {
          ...{ domain: 'tea.example', mailbox: MAILBOXES.gmail, state: 'act' as const },
          ...{ causes, since, figures: {}, at: clock.now() },
        },
      ]),
    );
  const opens = { cause: 'opens', since, newestAt: since, count: 900, of: 1_500 } as const;
  await setHealth([{ ...opens, level: 'watch' }]);
  await runHours(1);
  expect((await gmail())?.moves).toEqual([]);
  await setHealth([{ ...opens, level: 'act' }]);
  await runHours(2);
  const row = await gmail();
  expect(row?.moves.map(summary)).toEqual(['suggested: narrow (opens) null to null']);
  expect(row).toMatchObject({ is_engaged_only: false, moves: [{ count: 900, of: 1_500 }] });
  const id = row?.moves[0]?.id;
  expect((await owner.post(`${API}/moves/${id}/apply`)).status).toBe(200);
  expect(await gmail()).toMatchObject({ per_hour: null, is_engaged_only: true });
  expect(await caps()).toEqual([{ per_hour: null, is_engaged_only: true }]);

  await setHealth([]);
  await runHours(1);
  const [newest] = (await gmail())?.moves ?? [];
  expect(newest && summary(newest)).toBe('done: widen (clean) null to null');
  expect(await caps()).toEqual([]);
  expect((await owner.post(`${API}/moves/${newest?.id}/undo`)).status).toBe(200);
  expect(await caps()).toEqual([{ per_hour: null, is_engaged_only: true }]);
  expect((await owner.put(API, { ...GMAIL, mode: 'off' })).status).toBe(200);
  expect(await gmail()).toMatchObject({ is_engaged_only: false });
  expect(await caps()).toEqual([]);
});

test('a campaign that has waited for three days because of a limit is reported once', async () => {
  const { owner, accountId, messageId, deliver, run } = await setUp();
  const waits: unknown[] = [];
  onTestFinished(
    pilotHolds.on(async (_, event) => {
      if (event.accountId === accountId) waits.push(event);
    }),
  );
  await server.runJobs();
  await deliver({ accepted: 60 });
  await run();
  await owner.put(API, { ...GMAIL, mode: 'act' });
  clock.advance(71 * 60 * MINUTE_MS);
  await run();
  expect(waits).toEqual([]);
  clock.advance(2 * 60 * MINUTE_MS);
  await Promise.all([run(), run()]);
  const location = { domain: 'tea.example', mailbox: MAILBOXES.gmail };
  expect(waits).toEqual([{ accountId, ...location, campaignId: 1, messageId, waiting: 60 }]);
});

test('a campaign lists the limits that were in effect while it was sent', async () => {
  const { owner, accountId, messageId, deliver, run, runHours, gmail } = await setUp();
  const createdCampaign = await owner.post('/client-api/api/campaigns', { title: 'Spring' });
  const url = `/client-api/api/campaigns/${createdCampaign.body.data.id}/limits`;
  const limits = async () => (await owner.get(url)).body.data;
  expect(await limits()).toEqual([]);
  await sql`update campaigns set message_id = ${messageId} where account_id = ${accountId}`.execute(
    db,
  );
  await deliver({ accepted: 60 });
  await run();
  expect(await limits()).toEqual([]);
  await runHours(1, { accepted: 20, throttled: 10 });
  // A suggestion has no effect on sending.
  expect(await limits()).toEqual([]);
  await owner.post(`${API}/moves/${(await gmail())?.moves[0]?.id}/apply`);
  const since = clock.now().toISOString();
  const limit = { mailbox: 'gmail', move: 'slow', cause: 'deferrals', count: 70, of: 210 };
  clock.advance(MINUTE_MS);
  expect(await limits()).toEqual([
    { ...limit, per_hour: 105, is_engaged_only: false, since, until: null },
  ]);
  await owner.put(API, { ...GMAIL, mode: 'off' });
  const until = clock.now().toISOString();
  expect((await gmail())?.moves.map(summary)[0]).toBe('done: end (off) 105 to null');
  expect((await gmail())?.moves.every((move) => !move.can_undo)).toBe(true);
  expect(await limits()).toMatchObject([{ per_hour: 105, since, until }]);
  await sql`update messages set finished_at = ${since}::timestamptz - interval '1 minute'
    where account_id = ${accountId} and id = ${messageId}`.execute(db);
  expect(await limits()).toEqual([]);
  expect((await (await server.owner()).get(url)).status).toBe(404);
});
