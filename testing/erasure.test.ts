// Erasure and the catalog: every text column of every account table is filled with an address and a
// number, then their subscriber is erased over HTTP. A new text column fails here until it is erased
// or classified in personal-columns.ts.
import { sql } from 'kysely';
import { beforeAll, expect, test } from 'vitest';
import { encodeId } from '#platform/ids.ts';
import { inTransaction } from '#platform/server/database/database.ts';
import { contentsNamingAddresses } from '#platform/server/erasure/erasure.ts';
import { type TestOwner, type TestServer, testServer } from '#testing/setup/server.ts';
import {
  type CatalogColumn,
  fillAccount,
  LIMITED_VALUES,
  listAccountColumns,
  mayContainText,
} from '#testing/worlds/filled-account.ts';
import { ABOUT_ONE_SUBSCRIBER, expandColumns, REPORTED, UNCHANGED } from './personal-columns.ts';

const EMAIL = 'quillon.secret@x.example';
const PHONE = '+37061234567';
/** Rows of the erased subscriber, of another one, and of none. */
const [ERASED, OTHER, NONE] = [900_001, 900_002, 900_003];
/** Columns, in any table, whose values the product parses: it fails on other text. */
const CHECKED = new Set(['currency', 'language', 'country', 'timezone', 'zone', 'schedule_zone']);
/** Tables whose rows may concern a person before there is a subscriber. */
const WITHOUT_SUBSCRIBER = ['form_submissions', 'messages', 'single_sends', 'sms_inbound'];

let server: TestServer;
let owner: TestOwner;
let columns: CatalogColumn[];
let textColumns: CatalogColumn[];
let response: { status: number; body: { found_in: { kind: string; id: string }[] } };
/** The columns that contained the address before the erasure, and after it, by row. */
let before: Map<number, Set<string>>;
let after: Map<number, Set<string>>;

const nameOf = ({ table, column }: CatalogColumn) => `${table}.${column}`;
const isListed = (list: ReadonlySet<string>, column: CatalogColumn) =>
  list.has(nameOf(column)) || list.has(`*.${column.column}`);

const reported = new Set(expandColumns(REPORTED));
const aboutOne = new Set(expandColumns(ABOUT_ONE_SUBSCRIBER));
const unchanged = new Set(Object.values(UNCHANGED).flatMap(expandColumns));

/** Returns a text with the secrets, an address that occurs only in this column, and the row. */
const textOf = (name: string, id: number) =>
  `Quillon.Secret@x.example, +370 612 34567, ${toUnique(name)}, row ${id}`;
const toUnique = (name: string) => `${name.toLowerCase()}@columns.example`;

const condition = (operand: string) => ({
  ...{ type: 'firstname', operator: 'include', operand, group: 1 },
  ...{ outside_concat: 'and', inside_concat: 'and', key: '', more: [] },
});

/** Returns values for columns with a format, and for columns that decide how a row is erased. */
function valuesOf(id: number): Record<string, unknown> {
  const isErased = id !== OTHER;
  const email = isErased ? EMAIL : 'neighbor@x.example';
  const conditionsOf = (name: string) => [condition(textOf(name, id))];
  return {
    ...LIMITED_VALUES,
    ...(id === NONE && {
      'form_submissions.answers': { email: EMAIL },
      'form_submissions.subscriber_id': null,
      'single_sends.subscriber_id': null,
      'sms_inbound.subscriber_id': null,
      'single_sends.recipient': EMAIL,
      'sms_inbound.sender': PHONE,
    }),
    'approvals.facts': { title: textOf('approvals.facts', id), outline: [], previews: [] },
    'exports.settings': {
      choice: { conditions: [], search: textOf('exports.settings', id), asOf: '2026-01-01' },
      columns: [],
    },
    // Derived from a title with both addresses.
    'fields.name': `${toUnique('fields.name').replace(/\W/g, '_')}_370_612_34567_row_${id}`,
    'form_submissions.page': `https://shop.example/?from=${textOf('form_submissions.page', id)}`,
    'messages.audience': {
      ...{ all: false, groups: [], excluded: [] },
      segments: [conditionsOf('messages.audience')],
    },
    'segments.conditions': conditionsOf('segments.conditions'),
    'subscribers.email_key': email,
    'subscribers.phone_key': isErased ? PHONE : '+37069876543',
    'test_recipients.contact': email,
    'test_recipients.contact_key': email,
  };
}

/** Returns the columns that contain the address or the number, by the row in their text. */
async function scan(): Promise<Map<number, Set<string>>> {
  const found = new Map([ERASED, OTHER, NONE].map((id) => [id, new Set<string>()]));
  for (const column of textColumns) {
    const text = sql`${sql.ref(column.column)}::text`;
    const { rows } = await sql<{ text: string; row: string }>`
      select ${text} as text, t::text as row from ${sql.table(column.table)} t
      where position(${EMAIL} in lower(${text})) > 0
        or position('61234567' in regexp_replace(${text}, '[^0-9]', '', 'g')) > 0`.execute(
      server.db,
    );
    for (const { text, row } of rows) {
      const id = /90000\d/.exec(text)?.[0] ?? /90000\d/.exec(row)?.[0];
      found.get(id === undefined ? ERASED : Number(id))?.add(nameOf(column));
    }
  }
  return found;
}

beforeAll(async () => {
  server = await testServer();
  owner = await server.owner();
  columns = await listAccountColumns(server.db);
  textColumns = columns.filter(mayContainText);
  for (const id of [ERASED, OTHER, NONE])
    await fillAccount(
      server.db,
      id === NONE ? columns.filter(({ table }) => WITHOUT_SUBSCRIBER.includes(table)) : columns,
      {
        ...{ accountId: owner.accountId, id, values: valuesOf(id) },
        textOf: (column) => (CHECKED.has(column.column) ? undefined : textOf(nameOf(column), id)),
      },
    );
  before = await scan();
  const path = `/client-api/api/subscribers/${encodeId('subscriber', ERASED)}/erase`;
  response = await owner.post(path);
  await server.runJobs();
  after = await scan();
});

test('every text column is filled or contains only codes', () => {
  const filled = new Set([...(before.get(ERASED) ?? []), ...(before.get(OTHER) ?? [])]);
  const empty = textColumns
    .filter((column) => !filled.has(nameOf(column)) && !CHECKED.has(column.column))
    .map(nameOf);
  // Parts of a path through a workflow, and times, which a text would make unreadable.
  expect(empty).toEqual([
    'contact_guards.quiet_from',
    'contact_guards.quiet_until',
    'workflow_past_passes.trail',
    'workflow_runs.trail',
  ]);
});

test('an erasure removes the address from every text column that is not classified', () => {
  expect(response.status).toBe(200);
  const left = textColumns.filter(
    (column) =>
      after.get(ERASED)?.has(nameOf(column)) &&
      !isListed(reported, column) &&
      !isListed(unchanged, column),
  );
  expect(
    left.map(nameOf),
    `These columns still contain the address of an erased subscriber.
If users write the text, declare createTextRewriter (platform/server/erasure/texts.sql.ts) in the
area's SQL, and add on(addressesErased, eraseFromTexts(...)) to eventHandlers in its server/index.ts.
If it is about one subscriber, handle subscribersErased and subscribersPurged.
If it must not change, report it with createTextFinder and list it in REPORTED; otherwise list it
with the reason in UNCHANGED (testing/personal-columns.ts).`,
  ).toEqual([]);
});

test('an erasure removes the address from rows about other subscribers unless a subscriber owns the text', () => {
  const left = textColumns.filter(
    (column) =>
      after.get(OTHER)?.has(nameOf(column)) &&
      ![reported, unchanged, aboutOne].some((list) => isListed(list, column)),
  );
  expect(
    left.map(nameOf),
    `These columns contain the erased address in a row about another subscriber. If users write the
text, wire createTextRewriter; if it is stored about one subscriber, list it in ABOUT_ONE_SUBSCRIBER
(testing/personal-columns.ts).`,
  ).toEqual([]);
});

test('an erasure removes sign-ups, single sends and replies that have no subscriber', () => {
  const left = textColumns.filter(
    (column) =>
      after.get(NONE)?.has(nameOf(column)) &&
      ![reported, unchanged].some((list) => isListed(list, column)),
  );
  expect(before.get(NONE)?.size).toBeGreaterThan(8);
  expect(left.map(nameOf)).toEqual([]);
});

test('the classification lists only existing columns that keep the address', () => {
  const names = new Set(textColumns.flatMap((column) => [nameOf(column), `*.${column.column}`]));
  const listed = [...reported, ...aboutOne, ...unchanged];
  expect(listed.filter((name) => !names.has(name))).toEqual([]);
  expect(listed.filter((name, i) => listed.indexOf(name) !== i)).toEqual([]);
  const keeps = (name: string, id: number) => after.get(id)?.has(name) === true;
  const isStale = (name: string) =>
    !name.startsWith('*.') && !keeps(name, ERASED) && before.get(ERASED)?.has(name);
  expect([...reported, ...unchanged].filter(isStale)).toEqual([]);
  expect([...aboutOne].filter((name) => keeps(name, ERASED) || !keeps(name, OTHER))).toEqual([]);
});

test('found_in lists the object of each column that is classified as reported', async () => {
  const missing: string[] = [];
  for (const name of reported) {
    const search = { accountId: owner.accountId, addresses: [toUnique(name)] };
    const found = await inTransaction(server.db, (tx) =>
      contentsNamingAddresses.collect(tx, search),
    );
    if (found.length === 0) missing.push(name);
  }
  expect(missing).toEqual([]);
  const kinds = new Set(response.body.found_in.map(({ kind }) => kind));
  expect([...kinds]).toEqual(
    expect.arrayContaining(['account', 'campaign', 'domain', 'endpoint', 'field', 'relay']),
  );
});
