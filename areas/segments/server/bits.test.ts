// Counting with bitmaps is used for the right accounts and conditions and returns the same counts
// as without bitmaps.
import fc from 'fast-check';
import { sql } from 'kysely';
import { beforeAll, expect, test } from 'vitest';
import { decodeId } from '#platform/ids.ts';
import { inTransaction, type Tx } from '#platform/server/database/database.ts';
import { fillAudience, type NamedIds } from '#testing/oracles/segment-audience.ts';
import { type TestServer, testServer } from '#testing/setup/server.ts';
import { propertyOptions } from '#testing/setup/property-runs.ts';
import { condition } from '../filter-grammar.ts';
import type { Condition } from '../shared.ts';
import { findGapsBetween, isAmong } from './bits.ts';
import { compileConditions } from './compile.ts';
import type { CompileContext } from './context.ts';
import { readCountingContext } from './read-context.ts';
import { countChosen, readRangeStarts } from './segments.sql.ts';

const NOW = new Date('2026-05-31T21:30:00Z');
const SUBSCRIBER_COUNT = 20_000;

let server: TestServer;

beforeAll(async () => {
  server = await testServer();
});

/** Runs `work` in a transaction with a large account and rolls the transaction back. */
async function inLargeAccount(
  work: (account: { tx: Tx; accountId: number; named: NamedIds }) => Promise<void>,
): Promise<void> {
  const { accountId } = await server.owner();
  const undo = new Error('undo');
  const transaction = inTransaction(server.db, async (tx) => {
    const { namedIds } = await fillAudience(tx, accountId, 1, 10);
    await addMany(tx, accountId, decodeId('campaign', namedIds.campaigns[0] as string) as number);
    await work({ tx, accountId, named: namedIds });
    throw undo;
  });
  await expect(transaction).rejects.toBe(undo);
}

/**
 * Adds subscribers who received the campaign. A tenth of them opened it, and for another tenth a
 * machine did.
 */
async function addMany(tx: Tx, accountId: number, campaign: number): Promise<void> {
  await sql`insert into subscribers (account_id, email, email_key, created_at, modified_at)
    select ${accountId}, e, e, ${NOW}, ${NOW}
    from (select 'many' || n || '@x.example' as e from generate_series(1, ${SUBSCRIBER_COUNT}::int) n) x`.execute(
    tx,
  );
  await sql`update accounts set subscriber_count = ${SUBSCRIBER_COUNT + 10} where id = ${accountId}`.execute(
    tx,
  );
  const many = sql`from subscribers s
    join campaigns c on c.account_id = ${accountId} and c.id = ${campaign}
    where s.account_id = ${accountId} and s.email_key like 'many%'`;
  await sql`insert into recipients (account_id, message_id, lane, ordinal, subscriber_id)
    select s.account_id, c.message_id, 1, row_number() over (), s.id ${many}`.execute(tx);
  await sql`insert into events (account_id, at, message_id, subscriber_id, kind, sequence, verdict)
    select s.account_id, timestamptz '2026-05-10', c.message_id, s.id, 'open', 1,
      (case when s.id % 10 = 0 then 'human' else 'machine' end)::event_verdict
    ${many} and s.id % 5 = 0`.execute(tx);
  await sql`insert into outcomes (account_id, subscriber_id, message_id, first_open_at)
    select s.account_id, s.id, c.message_id, timestamptz '2026-05-10' ${many} and s.id % 5 = 0`.execute(
    tx,
  );
  await sql`analyze subscribers, recipients, events, outcomes`.execute(tx);
}

async function count(
  tx: Tx,
  accountId: number,
  conditions: readonly Condition[],
  context: CompileContext,
): Promise<number> {
  const { where } = compileConditions(conditions, context);
  return (await countChosen(tx, accountId, where)).subscribers;
}

test('sets of subscribers are counted as bitmaps, alone and combined', async () => {
  await inLargeAccount(async ({ tx, accountId, named }) => {
    const campaign = named.campaigns[0] as string;
    const notOpenCondition = condition('not-open', 'specific', campaign);
    const openCondition = condition('open', 'between', '2026-05-10', { more: ['2026-05-12'] });
    const active = condition('email_status', 'is', 'active');
    for (const conditions of [
      [notOpenCondition],
      [condition('not-click', 'specific', campaign)],
      [openCondition],
      [condition('not-open', 'between', '2026-05-10', { more: ['2026-05-12'] })],
      [condition('tag', 'not-have', named.groups[0] as string)],
      [notOpenCondition, active],
      [notOpenCondition, { ...openCondition, inside_concat: 'or' as const }, active],
      [notOpenCondition, { ...openCondition, group: 2, outside_concat: 'or' as const }],
    ]) {
      const context = await readCountingContext(tx, accountId, conditions, NOW);
      expect([conditions, context.usesBitmaps]).toEqual([conditions, true]);
      const matchCount = await count(tx, accountId, conditions, context);
      expect(matchCount).toBeGreaterThan(SUBSCRIBER_COUNT / 20);
      expect(matchCount).toBe(
        await count(tx, accountId, conditions, { ...context, usesBitmaps: false }),
      );
    }
  });
});

test('conditions on the subscriber’s row and conditions that match few subscribers are not counted as bitmaps', async () => {
  await inLargeAccount(async ({ tx, accountId, named }) => {
    const notOpenCondition = condition('not-open', 'specific', named.campaigns[0] as string);
    const usesBitmaps = async (...conditions: Condition[]) =>
      (await readCountingContext(tx, accountId, conditions, NOW)).usesBitmaps ?? false;
    expect(await usesBitmaps(condition('email_status', 'is', 'active'))).toBe(false);
    expect(
      await usesBitmaps(notOpenCondition, condition('email', 'equals', 'many7@x.example')),
    ).toBe(false);
  });
});

test('bitmap positions are unaffected by deleted IDs before the first or after the last remaining subscriber', async () => {
  await inLargeAccount(async ({ tx, accountId }) => {
    const isRetained = sql`id in (select id from subscribers where account_id = ${accountId}
      order by id offset 5000 limit 10000)`;
    await sql`delete from subscribers where account_id = ${accountId} and not (${isRetained})`.execute(
      tx,
    );
    const openConditions = [condition('open', 'between', '2026-05-10', { more: ['2026-05-12'] })];
    const context = await readCountingContext(tx, accountId, openConditions, NOW);
    const { rows } = await sql<{ gone: number }>`select count(*) as gone from events
      where account_id = ${accountId} and verdict = 'human'
        and subscriber_id not in (select id from subscribers where account_id = ${accountId})`.execute(
      tx,
    );
    expect(rows[0]?.gone).toBeGreaterThan(500);
    const matchCount = await count(tx, accountId, openConditions, {
      ...context,
      usesBitmaps: true,
    });
    expect(matchCount).toBe(
      await count(tx, accountId, openConditions, { ...context, usesBitmaps: false }),
    );
    expect(matchCount).toBeGreaterThan(500);
  });
});

test('an account with fewer than 20,000 subscribers is not counted with bitmaps', async () => {
  await inLargeAccount(async ({ tx, accountId, named }) => {
    const notOpenCondition = [condition('not-open', 'specific', named.campaigns[0] as string)];
    expect((await readCountingContext(tx, accountId, notOpenCondition, NOW)).usesBitmaps).toBe(
      true,
    );
    await sql`update accounts set subscriber_count = 19999 where id = ${accountId}`.execute(tx);
    expect(
      (await readCountingContext(tx, accountId, notOpenCondition, NOW)).usesBitmaps,
    ).toBeUndefined();
  });
});

test('widely spaced ids are not counted as bitmaps', async () => {
  await inLargeAccount(async ({ tx, accountId, named }) => {
    const notOpenCondition = [condition('not-open', 'specific', named.campaigns[0] as string)];
    await sql`insert into subscribers (account_id, id, email, email_key, created_at, modified_at)
      select ${accountId}, last + n * 20000, 'far' || n, 'far' || n, ${NOW}, ${NOW}
      from (select max(id) as last from subscribers where account_id = ${accountId}) of_all,
        generate_series(1, 300) n`.execute(tx);
    const context = await readCountingContext(tx, accountId, notOpenCondition, NOW);
    expect(context.usesBitmaps).toBeUndefined();
    expect(await count(tx, accountId, notOpenCondition, context)).toBe(
      await count(tx, accountId, notOpenCondition, { ...context, usesBitmaps: true }),
    );
  });
});

test('bitmaps skip the gaps in the ids that restores leave', async () => {
  await inLargeAccount(async ({ tx, accountId, named }) => {
    await insertIdGap(tx, accountId, SUBSCRIBER_COUNT / 4, 3_000_000);
    await insertIdGap(tx, accountId, SUBSCRIBER_COUNT / 2, 10_000_000);
    const notOpenCondition = condition('not-open', 'specific', named.campaigns[0] as string);
    const openCondition = condition('open', 'between', '2026-05-10', { more: ['2026-05-12'] });
    const tagCondition = condition('tag', 'not-have', named.groups[0] as string);
    for (const conditions of [
      [notOpenCondition],
      [openCondition],
      [tagCondition],
      [notOpenCondition, openCondition, tagCondition],
    ]) {
      const context = await readCountingContext(tx, accountId, conditions, NOW);
      expect([context.usesBitmaps, context.gaps?.length]).toEqual([true, 2]);
      const matchCount = await count(tx, accountId, conditions, context);
      expect(matchCount).toBe(
        await count(tx, accountId, conditions, { ...context, usesBitmaps: false }),
      );
    }
  });
});

/** Moves all subscribers but the first `behind` to larger ids, with all their data. */
async function insertIdGap(tx: Tx, accountId: number, behind: number, ids: number): Promise<void> {
  const { rows } = await sql<{ id: number }>`select id from subscribers
    where account_id = ${accountId} order by id offset ${behind} limit 1`.execute(tx);
  const first = rows[0]?.id;
  for (const table of ['recipients', 'events', 'outcomes', 'group_members'])
    await sql`update ${sql.table(table)} set subscriber_id = subscriber_id + ${ids}::bigint
      where account_id = ${accountId} and subscriber_id >= ${first}`.execute(tx);
  await sql`update subscribers set id = id + ${ids}::bigint
    where account_id = ${accountId} and id >= ${first}`.execute(tx);
  // Autovacuum would do this as well; with outdated statistics, either method may seem cheaper.
  await sql`analyze subscribers, recipients, events, outcomes, group_members`.execute(tx);
}

test('bitmaps find the right subscribers, whatever gaps the IDs have', async () => {
  const { accountId } = await server.owner();
  const stretch = fc.record({
    // A gap is either at most a few ranges wide or much wider.
    before: fc.oneof(fc.integer({ min: 0, max: 700 }), fc.integer({ min: 0, max: 5_000_000 })),
    steps: fc.array(fc.integer({ min: 1, max: 130 }), { minLength: 1, maxLength: 12 }),
  });
  const flagsArbitrary = fc.array(fc.boolean(), { minLength: 1, maxLength: 30 });
  const otherIds = fc.array(fc.integer({ min: 1, max: 20_000_000 }), { maxLength: 10 });
  await fc.assert(
    fc.asyncProperty(
      fc.array(stretch, { minLength: 1, maxLength: 5 }),
      flagsArbitrary,
      otherIds,
      fc.integer({ min: 0, max: 3 }),
      async (stretches, flags, strangers, max) => {
        let last = 5_000_000;
        const ids = stretches.flatMap(({ before, steps }) => {
          last += before;
          return steps.map((step) => (last += step));
        });
        const selectedIds = ids.filter((_, i) => flags[i % flags.length]);
        const among = [...selectedIds, ...strangers.filter((id) => !ids.includes(id))];
        const undo = new Error('undo');
        const transaction = inTransaction(server.db, async (tx) => {
          await sql`insert into subscribers (account_id, id, email_key, created_at, modified_at)
            select ${accountId}, id, 'at' || id, ${NOW}, ${NOW}
            from unnest(${ids}::bigint[]) id`.execute(tx);
          const starts = await readRangeStarts(tx, accountId, 640, 1000);
          const gaps = findGapsBetween(starts, 640, { min: 2, max });
          expect(gaps.length).toBeLessThanOrEqual(max);
          const subscribers = sql`select subscriber_id from unnest(${among}::bigint[]) x (subscriber_id)`;
          const { rows } = await sql<{ id: number }>`select s.id from subscribers s
            where s.account_id = ${accountId} and ${isAmong(subscribers, accountId, gaps)}
            order by s.id`.execute(tx);
          expect(rows.map((row) => row.id)).toEqual(selectedIds);
          throw undo;
        });
        await expect(transaction).rejects.toBe(undo);
      },
    ),
    propertyOptions(60, 20),
  );
});
