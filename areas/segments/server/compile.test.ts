// The compiler against a slow, obvious reading: random conditions over random people, on PostgreSQL.
import fc from 'fast-check';
import { type RawBuilder, sql } from 'kysely';
import { beforeAll, expect, test } from 'vitest';
import { addToGroups, ensureGroup } from '#areas/groups/server/index.ts';
import { createField } from '#areas/fields/server/index.ts';
import { encodeId } from '#platform/ids.ts';
import { inTransaction, type Tx } from '#platform/server/database.ts';
import { choose, type TruthPerson } from '#testing/segment-truth.ts';
import { type TestServer, testServer } from '#testing/server.ts';
import { readConditions } from '../filter-grammar.ts';
import { operandOf, operatorsOf } from '../conditions.ts';
import type { Condition } from '../limits.ts';
import { compileConditions } from './compile.ts';
import { readContext } from './context.ts';

const NOW = new Date('2026-05-31T21:30:00Z');
const ZONE = 'Europe/Oslo';
const PEOPLE = 60;
const ANSWERED = [
  'tag',
  'created',
  'open',
  'not-open',
  'click',
  'not-click',
  'email_status',
  'temail_status',
  'sms_status',
  'tsms_status',
  'firstname',
  'lastname',
  'email',
  'phone',
  'not_active_subscribers',
  'unsubscribed_at',
  'text',
  'number',
  'datetime',
] as const;

let server: TestServer;
let accountId: number;
let people: TruthPerson[];
const groups: string[] = [];
const fields: Record<'text' | 'number' | 'datetime', string> = {
  text: '',
  number: '',
  datetime: '',
};

const STATUSES = ['active', 'bounced', 'unsubscribed', 'reported', 'non-subscribed'] as const;
const WORDS = ['Ada', 'ada', 'Bo', 'bob', 'Åsa', '100%', 'a_b', 'a\\b', "o'neil", 'rīga'];
const WALLS = [
  '2026-05-31 23:30:00',
  '2026-05-31 00:00:00',
  '2026-02-28 23:59:59',
  '2024-01-01 12:00:00',
];
const INSTANTS = [
  '2026-05-31T22:00:00Z',
  '2026-05-31T21:30:00Z',
  '2026-05-30T21:59:59.999Z',
  '2026-05-30T22:00:00Z',
  '2026-05-24T21:30:00Z',
  '2026-04-30T21:30:00Z',
  '2026-02-28T22:59:59Z',
  '2024-01-01T11:00:00Z',
].map((text) => new Date(text));

/** Numbers in no order that anybody would choose, the same in each run. */
const pick = <T>(values: readonly T[], seed: number): T =>
  values[Math.abs(Math.imul(seed + 1, 2_654_435_761) >> 7) % values.length] as T;
const orNone = <T>(value: T, seed: number): T | null =>
  pick([0, 1, 2], seed) === 0 ? null : value;

beforeAll(async () => {
  server = await testServer();
  accountId = (await server.owner()).accountId;
  await inTransaction(server.db, fill);
});

async function fill(tx: Tx): Promise<void> {
  await sql`update accounts set timezone = ${ZONE} where id = ${accountId}`.execute(tx);
  for (const type of ['text', 'number', 'datetime'] as const) {
    fields[type] = encodeId('field', (await createField(tx, accountId, { title: type, type })).id);
  }
  const groupIds = [
    await ensureGroup(tx, accountId, 'One'),
    await ensureGroup(tx, accountId, 'Two'),
  ];
  groups.push(...groupIds.map((id) => encodeId('group', id)));
  people = [];
  for (let i = 0; i < PEOPLE; i++) {
    const person = personOf(i);
    people.push({ ...person, id: await insert(tx, person) });
  }
  for (const [index, groupId] of groupIds.entries()) {
    const members = people.filter((one) => one.groups.includes(groups[index] as string));
    await addToGroups(tx, accountId, {
      groupIds: [groupId],
      subscriberIds: members.map((one) => one.id),
      triggerAutomation: false,
    });
  }
}

function personOf(i: number): TruthPerson {
  const text = orNone(pick(WORDS, i * 3), i + 11);
  const number = orNone(pick([-1, 0, 1, 2.5, 10], i * 5), i + 13);
  const wall = orNone(pick(WALLS, i * 7), i + 17);
  return {
    id: 0,
    email: i % 7 === 0 ? null : `${pick(['ada', 'bo', 'x_y'], i)}${i}@x.example`,
    phone: i % 7 === 0 || i % 3 === 0 ? `+3706123${4500 + i}` : null,
    firstname: orNone(pick(WORDS, i), i + 3),
    lastname: orNone(pick(WORDS, i + 50), i + 5),
    statuses: {
      email_status: pick(STATUSES, i),
      temail_status: pick(STATUSES, i + 1),
      sms_status: pick(STATUSES, i + 2),
      tsms_status: pick(STATUSES, i + 3),
    },
    groups: groups.filter((_, index) => pick([true, false], i * 2 + index)),
    fields: {
      ...(text === null ? {} : { [fields.text]: text }),
      ...(number === null ? {} : { [fields.number]: number }),
      ...(wall === null ? {} : { [fields.datetime]: wall }),
    },
    createdAt: pick(INSTANTS, i * 11),
    unsubscribedAt: orNone(pick(INSTANTS, i * 13), i + 19),
    lastOpenAt: orNone(pick(INSTANTS, i * 17), i + 23),
    lastClickAt: orNone(pick(INSTANTS, i * 19), i + 29),
  };
}

async function insert(tx: Tx, person: TruthPerson): Promise<number> {
  const byNumber = (await readContext(tx, accountId, [condition('text', 'blank', '', [])])).fields;
  const values = Object.fromEntries(
    [...byNumber.values()].flatMap((field) => {
      const value = person.fields[encodeId('field', field.id)];
      return value === undefined ? [] : [[field.id, value]];
    }),
  );
  const { rows } = await sql<{ id: number }>`
    insert into subscribers (account_id, email, email_key, phone, phone_key, firstname, lastname,
      field_values, email_status, temail_status, sms_status, tsms_status, unsubscribed_at,
      created_at, modified_at)
    values (${accountId}, ${person.email}, ${person.email}, ${person.phone}, ${person.phone},
      ${person.firstname}, ${person.lastname}, ${JSON.stringify(values)}::jsonb,
      ${person.statuses.email_status}, ${person.statuses.temail_status},
      ${person.statuses.sms_status}, ${person.statuses.tsms_status}, ${person.unsubscribedAt},
      ${person.createdAt}, ${person.createdAt})
    returning id`.execute(tx);
  const id = rows[0]?.id as number;
  await sql`insert into activity (account_id, subscriber_id, last_human_open_at, last_human_click_at)
    values (${accountId}, ${id}, ${person.lastOpenAt}, ${person.lastClickAt})`.execute(tx);
  return id;
}

function condition(
  type: Condition['type'],
  operator: Condition['operator'],
  operand: string,
  more: string[],
): Condition {
  const key = type === 'text' || type === 'number' || type === 'datetime' ? fields[type] : '';
  return {
    type,
    operator,
    operand,
    group: 1,
    outside_concat: 'and',
    inside_concat: 'and',
    key,
    more,
  };
}

function operands(type: Condition['type'], operator: Condition['operator']): fc.Arbitrary<string> {
  const time = fc.constantFrom('2026-05-31', '2026-05-30', '2026-02-28', ...WALLS);
  switch (operandOf(type, operator)) {
    case 'none':
      return fc.constant('');
    case 'count':
      return fc.constantFrom('1', '2', '3', '30');
    case 'status':
    case 'statuses':
      return fc.constantFrom(...STATUSES);
    case 'number':
    case 'number_range':
      return fc.constantFrom('-1', '0', '1', '2.5', '10', '11');
    case 'date':
    case 'date_range':
      return time;
    case 'text':
    case 'texts':
      return fc.constantFrom(...WORDS, 'a', '%', '_', 'x.example', '612', '+370');
    default:
      return fc.constantFrom(...groups);
  }
}

const anyCondition = fc
  .constantFrom(...ANSWERED)
  .chain((type) =>
    fc.tuple(
      fc.constant(type),
      fc.constantFrom(...operatorsOf(type).filter((operator) => isAnswered(type, operator))),
    ),
  )
  .chain(([type, operator]) =>
    fc.record({
      type: fc.constant(type),
      operator: fc.constant(operator),
      operand: operands(type, operator),
      second: operands(type, operator),
      group: fc.integer({ min: 1, max: 3 }),
      outside_concat: fc.constantFrom('and' as const, 'or' as const),
      inside_concat: fc.constantFrom('and' as const, 'or' as const),
    }),
  );

/** Ranges over opens and clicks need the events themselves; nothing answers them yet. */
function isAnswered(type: string, operator: string): boolean {
  const isActivity = ['open', 'not-open', 'click', 'not-click'].includes(type);
  return !isActivity || ['all', 'weeks', 'months'].includes(operator);
}

const LISTS = new Set(['in', 'not-in', 'have', 'not-have', 'between']);

async function read(where: RawBuilder<boolean>): Promise<number[]> {
  const { rows } = await sql<{ id: number }>`
    select s.id from subscribers s
    where s.account_id = ${accountId} and s.deleted_at is null and ${where} order by s.id`.execute(
    server.db,
  );
  return rows.map((row) => row.id);
}

test('random conditions choose the same people as the plain reading', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(anyCondition, { minLength: 1, maxLength: 6 }), async (given) => {
      const written = given.map(({ second, ...one }) => ({
        ...one,
        key: condition(one.type, one.operator, '', []).key,
        more: LISTS.has(one.operator) ? [second] : [],
      }));
      const { conditions, dropped } = readConditions(written);
      expect(dropped).toBe(0);
      const context = await readContext(server.db, accountId, conditions, NOW);
      const { where, unsupported } = compileConditions(conditions, context);
      expect(unsupported).toEqual([]);
      expect(await read(where as RawBuilder<boolean>)).toEqual(
        choose(people, conditions, { now: NOW, timezone: ZONE }),
      );
    }),
    { numRuns: 400 },
  );
});

test('what nothing answers yet, and what is not there, is named and left out', async () => {
  const given = [
    condition('order_count', 'equals', '1', []),
    condition('tag', 'have', encodeId('group', 999_999), []),
    { ...condition('text', 'equals', 'x', []), key: encodeId('field', 999_999) },
    { ...condition('text', 'equals', 'x', []), key: fields.number },
    condition('open', 'before', '2026-01-01', []),
  ];
  const context = await readContext(server.db, accountId, given, NOW);
  expect(compileConditions(given, context)).toEqual({ where: undefined, unsupported: given });
});
