// The compiler against a slow reference: random conditions over random subscribers, in PostgreSQL.
import fc from 'fast-check';
import { type RawBuilder, sql } from 'kysely';
import { beforeAll, describe, expect, test } from 'vitest';
import { decodeId, encodeId } from '#platform/ids.ts';
import { inTransaction, type Tx } from '#platform/server/database/database.ts';
import {
  fillAudience,
  type NamedIds,
  NUMBERS,
  STATUSES,
  WALLS,
  TEXTS,
} from '#testing/oracles/segment-audience.ts';
import { selectMatching, type TruthSubscriber } from '#testing/oracles/segment-truth.ts';
import { type TestServer, testServer } from '#testing/setup/server.ts';
import { propertyOptions } from '#testing/setup/property-runs.ts';
import { getKeyKind, getOperandKind, listOperators, acceptsMany } from '../conditions.ts';
import { condition, readConditions } from '../filter-grammar.ts';
import { ALL_CONDITION_TYPES, type Condition, FIELD_CONDITION_TYPES } from '../shared.ts';
import { compileConditions } from './compile.ts';
import { readContext } from './read-context.ts';
import { countChosen } from './segments.sql.ts';

const NOW = new Date('2026-05-31T21:30:00Z');
const ZONE = 'Europe/Oslo';
const SUBSCRIBER_COUNT = 60;

let server: TestServer;

beforeAll(async () => {
  server = await testServer();
});

type TestAudience = { accountId: number; subscribers: TruthSubscriber[]; namedIds: NamedIds };

async function audienceOf(seed: number): Promise<TestAudience> {
  const { accountId } = await server.owner();
  return inTransaction(server.db, async (tx) => {
    await sql`update accounts set timezone = ${ZONE} where id = ${accountId}`.execute(tx);
    return { accountId, ...(await fillAudience(tx, accountId, seed, SUBSCRIBER_COUNT)) };
  });
}

function operandsOf(
  type: Condition['type'],
  operator: Condition['operator'],
  namedIds: NamedIds,
): fc.Arbitrary<string> {
  switch (getOperandKind(type, operator)) {
    case 'count':
      return fc.constantFrom('1', '2', '3', '30');
    case 'status':
    case 'statuses':
      return fc.constantFrom(...STATUSES);
    case 'number':
    case 'number_range':
      return fc.constantFrom(...NUMBERS.map(String), '3', '11', '20');
    case 'date':
    case 'date_range':
      return fc.constantFrom(
        ...['2026-05-31', '2026-05-30', '2026-05-24', '2026-02-28', '2025-06-01'],
        ...WALLS,
      );
    case 'month':
      return fc.constantFrom('1', '2', '5', '12');
    case 'text':
    case 'texts':
      return fc.constantFrom(...TEXTS, 'a', '%', '_', 'x.example', '612', '+370');
    case 'groups':
      return fc.constantFrom(...namedIds.groups);
    case 'campaigns':
      return fc.constantFrom(...namedIds.campaigns);
    case 'sms_campaigns':
      return fc.constantFrom(...namedIds.smsCampaigns);
    case 'stores':
      return fc.constantFrom(...namedIds.stores);
    case 'products':
      return fc.constantFrom(...namedIds.products);
    default:
      return fc.constant('');
  }
}

const isField = (type: string): type is keyof NamedIds['fields'] =>
  (FIELD_CONDITION_TYPES as readonly string[]).includes(type);

/** Returns the key of a condition, if its type needs one. */
const keyFor = (type: Condition['type'], namedIds: NamedIds): string => {
  if (isField(type)) return namedIds.fields[type];
  return getKeyKind(type) === 'event' ? (namedIds.events[0] as string) : '';
};

function anyCondition(namedIds: NamedIds): fc.Arbitrary<Condition> {
  const concat = fc.constantFrom('and' as const, 'or' as const);
  return fc
    .constantFrom(...ALL_CONDITION_TYPES)
    .chain((type) => fc.tuple(fc.constant(type), fc.constantFrom(...listOperators(type))))
    .chain(([type, operator]) => {
      const operand = operandsOf(type, operator, namedIds);
      const kind = getOperandKind(type, operator) ?? 'none';
      const more: fc.Arbitrary<string[]> =
        operator === 'between'
          ? operand.map((last) => [last])
          : acceptsMany(kind)
            ? fc.array(operand, { maxLength: 2 })
            : fc.constant([]);
      return fc.record({
        type: fc.constant(type),
        operator: fc.constant(operator),
        operand,
        more,
        key:
          getKeyKind(type) === 'event'
            ? fc.constantFrom(...namedIds.events)
            : fc.constant(keyFor(type, namedIds)),
        group: fc.integer({ min: 1, max: 3 }),
        outside_concat: concat,
        inside_concat: concat,
      });
    });
}

async function readChosen(
  { accountId }: TestAudience,
  where: RawBuilder<boolean>,
  slice: { after: number; lastId: number },
): Promise<number[]> {
  const { rows } = await sql<{ id: number }>`
    select s.id from subscribers s
    where s.account_id = ${accountId} and s.deleted_at is null
      and s.id > ${slice.after} and s.id <= ${slice.lastId} and ${where} order by s.id`.execute(
    server.db,
  );
  return rows.map((row) => row.id);
}

type SegmentCompileOptions = { isUnderestimated?: boolean; usesBitmaps?: boolean };
type IdRange = { after: number; lastId: number };

/**
 * Returns a function that selects subscribers by the compiled conditions, in a slice or in the
 * whole account; references are read once.
 */
async function compiler(audience: TestAudience, conditions: readonly Condition[]) {
  const baseContext = await readContext(server.db, audience.accountId, conditions, NOW);
  return async (options: SegmentCompileOptions = {}, slice?: IdRange): Promise<number[]> => {
    const context = { ...baseContext, slice, ...options };
    const { where, unsupported } = compileConditions(conditions, context);
    expect(unsupported).toEqual([]);
    const all = { after: 0, lastId: Number.MAX_SAFE_INTEGER };
    return readChosen(audience, where as RawBuilder<boolean>, slice ?? all);
  };
}

const truth = (audience: TestAudience, conditions: readonly Condition[]) =>
  selectMatching(audience.subscribers, conditions, { now: NOW, timezone: ZONE });

/** Returns selects with joins, without joins (used if estimates are wrong), and with bitmaps. */
async function compiledVariants(audience: TestAudience, conditions: readonly Condition[]) {
  const listMatches = await compiler(audience, conditions);
  return [
    await listMatches({ isUnderestimated: false }),
    await listMatches({ isUnderestimated: true }),
    await listMatches({ isUnderestimated: false, usesBitmaps: true }),
  ];
}

/** The seeds of three fixed audiences, and of a random one. */
const SEEDS = [1, 2, 3, Math.floor(Math.random() * 1e9)];

describe.each(SEEDS)('an audience of seed %i', (seed) => {
  let audience: TestAudience;
  beforeAll(async () => {
    audience = await audienceOf(seed);
  });

  test('random segments select the same subscribers as the reference', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(anyCondition(audience.namedIds), { minLength: 1, maxLength: 6 }),
        async (source) => {
          const { conditions, droppedCount } = readConditions(source);
          expect(droppedCount).toBe(0);
          const expectedIds = truth(audience, conditions);
          expect(await compiledVariants(audience, conditions)).toEqual([
            expectedIds,
            expectedIds,
            expectedIds,
          ]);
        },
      ),
      propertyOptions(250, 50, seed),
    );
  });

  test('two slices together select the same subscribers as the reference', async () => {
    const ids = audience.subscribers.map((subscriber) => subscriber.id);
    await fc.assert(
      fc.asyncProperty(
        fc.array(anyCondition(audience.namedIds), { minLength: 1, maxLength: 4 }),
        fc.constantFrom(...ids),
        async (source, middle) => {
          const { conditions } = readConditions(source);
          const listMatches = await compiler(audience, conditions);
          const firstIds = await listMatches({}, { after: 0, lastId: middle });
          const secondIds = await listMatches(
            {},
            { after: middle, lastId: Number.MAX_SAFE_INTEGER },
          );
          expect([...firstIds, ...secondIds]).toEqual(truth(audience, conditions));
        },
      ),
      propertyOptions(60, 15, seed),
    );
  });
});

test('each operator of each condition type selects the same subscribers as the reference', async () => {
  const audience = await audienceOf(4);
  let seed = 0;
  for (const type of ALL_CONDITION_TYPES) {
    for (const operator of listOperators(type)) {
      seed += 1;
      const two = fc.array(operandsOf(type, operator, audience.namedIds), {
        minLength: 2,
        maxLength: 2,
      });
      for (const [operand = '', second = ''] of fc.sample(two, propertyOptions(4, 2, seed))) {
        const { conditions, droppedCount } = readConditions([
          condition(type, operator, operand, {
            key: keyFor(type, audience.namedIds),
            more: operator === 'between' ? [second] : [],
          }),
        ]);
        const label = `${type} ${operator} ${operand} ${second}`;
        expect([label, droppedCount]).toEqual([label, 0]);
        const matchingIds = truth(audience, conditions);
        expect([label, ...(await compiledVariants(audience, conditions))]).toEqual([
          label,
          matchingIds,
          matchingIds,
          matchingIds,
        ]);
      }
    }
  }
});

test.each<[Condition['operator'], string[], string[]]>([
  ['ends', ['0012'], ['+37061230012']],
  ['includes', ['3001'], ['+37061230012']],
  ['includes', ['0037'], ['+37060037001']],
  ['includes', ['00'], ['+37060037001', '+37061230012']],
  ['not-include', ['00'], ['+4915112345678']],
  ['begins', ['00370'], ['+37060037001', '+37061230012']],
  ['begins', ['+370 (612)'], ['+37061230012']],
  ['equals', ['00370 612-30012'], ['+37061230012']],
  ['equals', ['۰۰۳۷۰۶۱۲۳۰۰۱۲'], ['+37061230012']],
  ['not-equal', ['0037061230012'], ['+37060037001', '+4915112345678']],
  ['in', ['+٣٧٠٦١٢٣٠٠١٢', '004915112345678'], ['+37061230012', '+4915112345678']],
  ['not-in', ['0037061230012', '004915112345678'], ['+37060037001']],
  ['ends', ['۶۷۸'], ['+4915112345678']],
])(
  'a condition on phone numbers, %s %j, accepts numbers as users write them',
  async (operator, values, expectedIds) => {
    const { accountId } = await server.owner();
    await sql`insert into subscribers (account_id, phone, phone_key, created_at, modified_at)
    select ${accountId}, n, n, ${NOW}, ${NOW} from unnest(${[
      '+37061230012',
      '+37060037001',
      '+4915112345678',
    ]}::text[]) n`.execute(server.db);
    const [operand = '', ...more] = values;
    const { conditions, droppedCount } = readConditions([
      condition('phone', operator, operand, { more }),
    ]);
    expect(droppedCount).toBe(0);
    const context = await readContext(server.db, accountId, conditions, NOW);
    const { where } = compileConditions(conditions, context);
    const { rows } = await sql<{ phone: string }>`
    select s.phone from subscribers s
    where s.account_id = ${accountId} and ${where} order by s.phone`.execute(server.db);
    expect(rows.map((row) => row.phone)).toEqual(expectedIds);
  },
);

test('months are calendar months in the account’s zone, even if the day differs in UTC', async () => {
  const { accountId } = await server.owner();
  await sql`update accounts set timezone = ${ZONE} where id = ${accountId}`.execute(server.db);
  // In Oslo, it is 0:30 on the last day of May, so that three months ago was the last day of
  // February.
  const now = new Date('2026-05-30T22:30:00Z');
  await sql`insert into subscribers (account_id, email_key, created_at, modified_at)
    select ${accountId}, at::text, at, ${now}
    from unnest(${['2026-02-27T23:29:59Z', '2026-02-27T23:30:00Z']}::timestamptz[]) at`.execute(
    server.db,
  );
  const count = async (conditions: Condition[]) => {
    const context = await readContext(server.db, accountId, conditions, now);
    const { where } = compileConditions(conditions, context);
    return (await countChosen(server.db, accountId, where)).subscribers;
  };
  expect(await count([condition('created', 'months', '3')])).toBe(1);
  expect(await count([condition('not_active_subscribers', 'months', '3')])).toBe(1);
});

test('missing references are reported and omitted', async () => {
  const { accountId, namedIds } = await audienceOf(5);
  const otherAudience = await audienceOf(6);
  const conditions = [
    condition('tag', 'have', encodeId('group', 999_999)),
    condition('tag', 'have', otherAudience.namedIds.groups[0] as string),
    condition('open', 'specific', otherAudience.namedIds.campaigns[0] as string),
    condition('placed_order', 'specific', otherAudience.namedIds.stores[0] as string),
    condition('specific_product', 'have', namedIds.products[0] as string, {
      more: [otherAudience.namedIds.products[0] as string],
    }),
    condition('text', 'equals', 'x', { key: encodeId('field', 999_999) }),
    condition('text', 'equals', 'x', { key: namedIds.fields.number }),
    condition('event', 'all', '', { key: otherAudience.namedIds.events[0] as string }),
    condition('not-event', 'weeks', '4', { key: encodeId('custom_event', 999_999) }),
  ];
  const context = await readContext(server.db, accountId, conditions, NOW);
  const compiled = compileConditions(conditions, context);
  expect(compiled).toEqual({ where: undefined, unsupported: conditions });
});

test('queries avoid nested loop joins for an account whose size PostgreSQL underestimates', async () => {
  const { accountId, namedIds } = await audienceOf(7);
  const conditions = [
    condition('tag', 'have', namedIds.groups[0] as string),
    condition('specific_product', 'not-have', namedIds.products[0] as string),
    condition('placed_order', 'between', '2026-01-01', { more: ['2026-03-01'] }),
  ];
  // The rows of an open transaction are invisible to autovacuum, so it creates no statistics.
  await inTransaction(server.db, async (tx) => {
    await addMany(tx, accountId, namedIds);
    const context = await readContext(tx, accountId, conditions, NOW);
    const planOf = async (isUnderestimated: boolean | undefined) => {
      const { where } = compileConditions(conditions, { ...context, isUnderestimated });
      const { rows } = await sql<{ 'QUERY PLAN': string }>`
        explain select count(*) from subscribers s
        where s.account_id = ${accountId} and s.deleted_at is null and ${where}`.execute(tx);
      return rows.map((row) => row['QUERY PLAN']).join('\n');
    };
    expect(await planOf(false)).toMatch(/Nested Loop[\s\S]*Join Filter/);
    expect(context.isUnderestimated).toBe(true);
    expect(await planOf(context.isUnderestimated)).not.toContain('Join Filter');
  });
});

/** Adds thousands of subscribers with memberships and orders, then deletes the statistics. */
async function addMany(tx: Tx, accountId: number, namedIds: NamedIds): Promise<void> {
  const group = decodeId('group', namedIds.groups[0] as string);
  const store = decodeId('store', namedIds.stores[0] as string);
  await sql`delete from pg_statistic where starelid in ('subscribers'::regclass,
    'group_members'::regclass, 'orders'::regclass, 'order_products'::regclass)`.execute(tx);
  await sql`insert into subscribers (account_id, email, email_key, created_at, modified_at)
    select ${accountId}, e, e, ${NOW}, ${NOW}
    from (select 'many' || n || '@x.example' as e from generate_series(1, 5000) n) x`.execute(tx);
  await sql`insert into group_members (account_id, group_id, subscriber_id, created_at)
    select account_id, ${group}, id, ${NOW} from subscribers
    where account_id = ${accountId} and email_key like 'many%'`.execute(tx);
  await sql`insert into orders (account_id, store_id, subscriber_id, remote_id, placed_at, created_at, modified_at)
    select account_id, ${store}, id, 'many' || id, timestamptz '2026-02-01', ${NOW}, ${NOW}
    from subscribers where account_id = ${accountId} and email_key like 'many%'`.execute(tx);
}
