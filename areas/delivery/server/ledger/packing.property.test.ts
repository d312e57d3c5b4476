// Packed recipients: every reader gets the same from rows, from rows and runs together, and from
// runs only, for any results of the recipients and no matter when packing was killed.
import { sql } from 'kysely';
import fc from 'fast-check';
import { afterEach, expect, test } from 'vitest';
import { clock } from '#platform/server/clock.ts';
import { inTransaction } from '#platform/server/database/database.ts';
import { propertyOptions } from '#testing/setup/property-runs.ts';
import { testServer } from '#testing/setup/server.ts';
import { ALL_SUBSCRIBERS, startMessage } from '#testing/worlds/sending-helpers.ts';
import { findMessageWith, listRecipientsOf } from '../groups/groups.sql.ts';
import { findRecipientPosition } from '../why/why.sql.ts';
import {
  acceptedSubscriberCopies,
  acceptedCopies,
  copiesNotAccepted,
  countRecipients,
  isCompacted,
} from './accepted.sql.ts';
import { compactionPoller } from './compaction.ts';
import { listContactsSince, readCopyStates } from './contacts.sql.ts';
import { findMessagedSubscribers } from './messaged-people.sql.ts';
import { countAudience } from './messages.ts';
import { insertRuns, lanesToTrim, markPacked, trimSlice } from './packing.sql.ts';
import {
  type Audience,
  compileAudience,
  compileExclusion,
  findWasSent,
  isInAudience,
} from './selection.sql.ts';
import { countPeopleReached } from './usage.sql.ts';

const server = await testServer();
const { db } = server;
const neverAborted = new AbortController().signal;
const DAY_MS = 86_400_000;

afterEach(() => clock.reset());

/**
 * The state of a subscriber in a message. Recipients `never leased` were selected, but the message
 * was canceled before a sender leased them.
 */
const OUTCOMES = [
  'absent',
  'accepted',
  'deferred first',
  'failed',
  'unknown',
  'skipped',
  'never leased',
] as const;
type PackedOutcome = (typeof OUTCOMES)[number];

const outcome = fc.oneof(
  { weight: 8, arbitrary: fc.constant<PackedOutcome>('accepted') },
  { weight: 5, arbitrary: fc.constantFrom(...OUTCOMES) },
);
const message = fc.record({
  outcomes: fc.array(outcome, { minLength: 1, maxLength: 700 }),
  lanes: fc.integer({ min: 1, max: 4 }),
  isCancelled: fc.boolean(),
  /** True if recipients are in descending order: a stream gets its recipients in any order. */
  isReversed: fc.boolean(),
});
type SentLedger = {
  outcomes: PackedOutcome[];
  lanes: number;
  isCancelled: boolean;
  isReversed: boolean;
};

/** The first ID; IDs lie on both sides of the limit of 32-bit integers, where a run must end. */
const FIRST_ID = 2 ** 31 - 300;
const idOf = (index: number) => FIRST_ID + index + (index > 350 ? 5_000 : 0);

async function addPeople(accountId: number, count: number): Promise<number[]> {
  const ids = Array.from({ length: count }, (_, index) => idOf(index));
  await sql`
    insert into subscribers (account_id, id, email, email_key, created_at, modified_at)
    select ${accountId}::bigint, id, 'p' || id || '@r.example', 'p' || id || '@r.example',
      ${clock.now()}, ${clock.now()}
    from unnest(${ids}::bigint[]) id`.execute(db);
  return ids;
}

const STATE_OF = {
  accepted: ['accepted'],
  'deferred first': ['deferred', 'accepted'],
  failed: ['failed'],
  unknown: ['unknown'],
  skipped: ['skipped'],
  'never leased': [],
} as const;

/** Writes a finished ledger, as senders leave it. */
async function addSent(accountId: number, ledger: SentLedger): Promise<number> {
  const messageId = await startMessage(db, accountId);
  const at = clock.now();
  const rows = ledger.outcomes.flatMap((outcome, index) =>
    outcome === 'absent'
      ? []
      : [{ id: idOf(index), outcome: outcomeIn(ledger, outcome), lane: index % ledger.lanes }],
  );
  if (ledger.isReversed) rows.reverse();
  for (let lane = 0; lane < ledger.lanes; lane++) {
    const ofLane = rows.filter((row) => row.lane === lane);
    const orderedRows = [
      ...ofLane.filter((row) => row.outcome !== 'never leased'),
      ...ofLane.filter((row) => row.outcome === 'never leased'),
    ];
    const leasedCount = orderedRows.filter((row) => row.outcome !== 'never leased').length;
    await sql`insert into recipients (account_id, message_id, lane, ordinal, subscriber_id)
      select ${accountId}::bigint, ${messageId}::bigint, ${lane}::smallint, n, id
      from unnest(${orderedRows.map((row) => row.id)}::bigint[]) with ordinality u(id, n)`.execute(
      db,
    );
    const results = orderedRows.flatMap(({ outcome }, index) =>
      STATE_OF[outcome].map((state, attemptIndex) => ({
        ordinal: index + 1,
        attempt: attemptIndex + 1,
        state,
      })),
    );
    await sql`insert into results (account_id, message_id, lane, ordinal, attempt, state, at)
      select ${accountId}::bigint, ${messageId}::bigint, ${lane}::smallint, u.*, ${at}::timestamptz
      from unnest(${results.map((row) => row.ordinal)}::int[],
        ${results.map((row) => row.attempt)}::smallint[],
        ${results.map((row) => row.state)}::delivery_state[]) u`.execute(db);
    await sql`insert into lanes (account_id, message_id, lane, written, leased)
      values (${accountId}, ${messageId}, ${lane}, ${orderedRows.length}, ${leasedCount})`.execute(
      db,
    );
    if (leasedCount > 0) {
      await sql`insert into leases (account_id, message_id, lane, from_ordinal, to_ordinal,
          started_to, owner, expires_at, is_done)
        values (${accountId}, ${messageId}, ${lane}, 1, ${leasedCount}, ${leasedCount}, '', ${at}, true)`.execute(
        db,
      );
    }
  }
  await sql`update messages set state = ${ledger.isCancelled ? 'cancelled' : 'finished'},
      is_audience_complete = true, started_at = ${at}, finished_at = ${at}
    where account_id = ${accountId} and id = ${messageId}`.execute(db);
  return messageId;
}

/** Only a canceled message has recipients that were never leased. */
const outcomeIn = ({ isCancelled }: SentLedger, outcome: Exclude<PackedOutcome, 'absent'>) =>
  outcome === 'never leased' && !isCancelled ? 'accepted' : outcome;

type Fixture = { accountId: number; people: number[]; messageIds: number[] };

/** IDs per slice of an audience. */
const SLICE = 97;

/**
 * Returns the subscribers selected by the audience, each with the reason for exclusion. They are
 * read slice by slice, as when the audience is written.
 */
async function selectedBy({ accountId, people }: Fixture, audience: Audience): Promise<string[]> {
  const selections: string[] = [];
  const lastId = people.at(-1) as number;
  for (let after = FIRST_ID - 1; after < lastId; after += SLICE) {
    const slice = { after, lastId: after + SLICE };
    const compiled = await compileAudience(db, accountId, 'email', audience, clock.now(), slice);
    const { rows } = await sql<{ id: number; reason: string | null }>`
      select s.id, ${compileExclusion(compiled)} as reason from subscribers s
      where s.account_id = ${accountId} and s.id > ${slice.after} and s.id <= ${slice.lastId}
        and ${isInAudience(compiled)} order by s.id`.execute(db);
    selections.push(...rows.map((row) => `${row.id} ${row.reason}`));
  }
  return selections;
}

/** Returns the results of all functions that read recipients. */
async function readAll(fixture: Fixture) {
  const { accountId, people, messageIds } = fixture;
  const isPast = await isCompacted(db, accountId, messageIds);
  const idsIn = async (query: ReturnType<typeof acceptedCopies>) => {
    const { rows } = await sql<{ subscriber_id: number; message_id?: number }>`
      select * from (${query}) x`.execute(db);
    return rows.map((row) => `${row.message_id ?? ''}/${row.subscriber_id}`).sort();
  };
  const [wasSent] = await inTransaction(db, (tx) => findWasSent(tx, { accountId }));
  const { rows: sent } = await sql<{ id: number }>`select s.id from subscribers s
    where s.account_id = ${accountId} and ${wasSent?.isRecipient(messageIds)} order by s.id`.execute(
    db,
  );
  const now = clock.now();
  const states = await Promise.all(
    messageIds.map(async (id) =>
      (await readCopyStates(db, accountId, id, people, now))
        .map((row) => `${row.subscriberId} ${row.state} ${row.reason}`)
        .sort(),
    ),
  );
  const sampleIds = people.filter((_, index) => index % 97 === 0);
  const unopenedAudience = { ...ALL_SUBSCRIBERS, all: false, unopened: messageIds };
  const withoutRecipients = { ...ALL_SUBSCRIBERS, withoutRecipientsOf: messageIds };
  return {
    accepted: await idsIn(acceptedCopies(accountId, messageIds, isPast)),
    byPeople: await idsIn(acceptedSubscriberCopies(accountId, people)),
    recentByPeople: await idsIn(acceptedSubscriberCopies(accountId, people, new Date(0))),
    notAccepted: await idsIn(
      copiesNotAccepted(accountId, messageIds, ['failed', 'unknown', 'skipped']),
    ),
    recipients: [...new Set(await idsIn(listRecipientsOf(accountId, messageIds)))],
    countReached: await countRecipients(db, accountId, messageIds),
    usage: await countPeopleReached(db, accountId, new Date(0)),
    written: (await findMessagedSubscribers(db, { accountId, subscriberIds: people })).sort(
      (a, b) => a - b,
    ),
    wasSent: sent.map((row) => row.id),
    allSent: [...new Set(await idsIn(wasSent?.selectRecipients(messageIds) as never))],
    unopened: await countAudience(db, accountId, unopenedAudience),
    without: await countAudience(db, accountId, withoutRecipients),
    unopenedIds: await selectedBy(fixture, unopenedAudience),
    withoutIds: await selectedBy(fixture, withoutRecipients),
    states,
    contacts: (await listContactsSince(db, accountId, people, new Date(0)))
      .map((row) => `${row.subscriberId} ${row.at.toISOString()}`)
      .sort(),
    holders: await Promise.all(
      sampleIds.map(
        async (id) => (await findMessageWith(db, accountId, messageIds, id)) !== undefined,
      ),
    ),
    places: await Promise.all(
      sampleIds.map(async (id) => {
        const position = await findRecipientPosition(
          db,
          accountId,
          messageIds[0] as number,
          id,
          now,
        );
        return position && [position.lane, position.ordinal];
      }),
    ),
  };
}

type LedgerReadings = Awaited<ReturnType<typeof readAll>>;

/**
 * Expects that copies of unknown outcome are treated as accepted after a retry that follows
 * packing.
 */
async function expectRetriesRead(fixture: Fixture, readingsBefore: LedgerReadings): Promise<void> {
  const { accountId, messageIds } = fixture;
  const { rows } = await sql<{ copy: string }>`
    with retried as (
      insert into results (account_id, message_id, lane, ordinal, attempt, state, at)
      select r.account_id, r.message_id, r.lane, r.ordinal, n, 'accepted', ${clock.now()}
      from results r cross join generate_series(2, 3) n
      where r.account_id = ${accountId} and r.state = 'unknown'
      returning message_id, lane, ordinal
    )
    select distinct r.message_id || '/' || r.subscriber_id as copy from retried
    join recipients r using (message_id, lane, ordinal) where r.account_id = ${accountId}`.execute(
    db,
  );
  const readingsAfter = await readAll(fixture);
  const acceptedCopyIds = [...readingsBefore.accepted, ...rows.map((row) => row.copy)].sort();
  expect(readingsAfter.accepted).toEqual(acceptedCopyIds);
  const acceptedIds = new Set(acceptedCopyIds.map((copy) => copy.split('/')[1]));
  expect(readingsAfter.countReached).toBe(acceptedIds.size);
  expect(readingsAfter.unopened.total).toBe(acceptedIds.size);
  expect(readingsAfter.unopenedIds).toHaveLength(acceptedIds.size);
  expect(readingsAfter.without.excluded.received_before ?? 0).toBe(acceptedIds.size);
  const acceptedBy = new Date(0).toISOString();
  const inTime = { ...ALL_SUBSCRIBERS, all: false, unopened: messageIds, acceptedBy };
  const acceptedOnce = new Set(readingsBefore.accepted.map((copy) => copy.split('/')[1]));
  expect((await countAudience(db, accountId, inTime)).total).toBe(acceptedOnce.size);
}

async function countRows(table: string, accountId: number): Promise<number> {
  const { rows } = await sql<{ count: number }>`select count(*) as count
    from ${sql.table(table)} where account_id = ${accountId}`.execute(db);
  return rows[0]?.count ?? 0;
}

const refusePacking = () =>
  sql`alter table messages add constraint messages_not_packed check (packed_to is null) not valid`.execute(
    db,
  );
const allowPacking = () =>
  sql`alter table messages drop constraint if exists messages_not_packed`.execute(db);

class Killed extends Error {}

const sends = fc.array(message, { minLength: 1, maxLength: 3 });

test(
  'readers get the same data from rows, from runs, and from rows and runs together',
  { timeout: 120_000 },
  () =>
    fc.assert(
      fc.asyncProperty(sends, fc.boolean(), async (messages, isLarge) => {
        clock.reset();
        await allowPacking();
        const { accountId } = await server.owner();
        const subscriberIds = await addPeople(accountId, 720);
        // In a large account, sets are read as bitmaps.
        const count = isLarge ? 20_000 : subscriberIds.length;
        await sql`update accounts set subscriber_count = ${count} where id = ${accountId}`.execute(
          db,
        );
        const messageIds: number[] = [];
        for (const ledger of messages) messageIds.push(await addSent(accountId, ledger));
        const fixture = { accountId, people: subscriberIds, messageIds };
        const readingsBefore = await readAll(fixture);
        expect(readingsBefore.accepted).toHaveLength(
          messages.flatMap((ledger) =>
            ledger.outcomes.filter(
              (outcome) =>
                outcome === 'accepted' ||
                outcome === 'deferred first' ||
                (outcome === 'never leased' && !ledger.isCancelled),
            ),
          ).length,
        );

        // While processes of an earlier version run, results are compacted and nothing is packed.
        await refusePacking();
        clock.advance(8 * DAY_MS);
        await compactionPoller(7).run(db, neverAborted);
        expect(await countRows('recipient_runs', accountId)).toBe(0);
        expect(await readAll(fixture)).toEqual(readingsBefore);
        await allowPacking();

        const [first] = messageIds as [number];
        const killedRun = inTransaction(db, async (tx) => {
          await insertRuns(tx, accountId, first);
          throw new Killed();
        });
        await expect(killedRun).rejects.toThrow(Killed);
        expect(await countRows('recipient_runs', accountId)).toBe(0);

        await inTransaction(db, async (tx) => {
          await insertRuns(tx, accountId, first);
          await markPacked(tx, accountId, first);
        });
        expect(await readAll(fixture)).toEqual(readingsBefore);

        // Packing was killed after the first slice.
        const [lane] = await lanesToTrim(db, accountId, first);
        const slice = { lane: lane?.lane ?? 0, from: 1, to: 90 };
        await inTransaction(db, (tx) => trimSlice(tx, accountId, first, slice));
        expect(await readAll(fixture)).toEqual(readingsBefore);

        await compactionPoller(7).run(db, neverAborted);
        await compactionPoller(7).run(db, neverAborted);
        expect(await readAll(fixture)).toEqual(readingsBefore);
        expect(await countRows('recipients', accountId)).toBe(readingsBefore.notAccepted.length);
        const { rows } = await sql`select 1 from messages where account_id = ${accountId}
        and id = any(${messageIds}::bigint[]) and trimmed_at is null`.execute(db);
        expect(rows).toEqual([]);
        await expectRetriesRead(fixture, readingsBefore);
      }),
      propertyOptions(40, 3),
    ),
);
