// The check of migrations against the last release: each rule is tested with a planted violation.
import pg from 'pg';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { createTestDatabase } from '#testing/setup/database.ts';
import { readSchema, type ReleaseSchema, findUpgradeViolations } from './release-schema.ts';

let client: pg.Client;
let schemaBefore: ReleaseSchema;

beforeAll(async () => {
  client = new pg.Client({ connectionString: await createTestDatabase() });
  await client.connect();
  await client.query(`create type shade as enum ('light', 'dark');
    create function twice(n int) returns int language sql as 'select n * 2';
    create table cups (account_id bigint, id bigint, title text not null, size int, shade shade,
      kind text not null default 'cup' check (kind in ('cup', 'mug')), primary key (account_id, id));
    create unique index cups_title on cups (account_id, lower(title)) where size > 0`);
  schemaBefore = await readSchema(client);
});
afterAll(() => client.end());

/** Returns the violations after these commands, which are rolled back. */
async function violationsOf(commands: string): Promise<string[]> {
  await client.query('begin');
  try {
    await client.query(commands);
    return findUpgradeViolations(schemaBefore, await readSchema(client));
  } finally {
    await client.query('rollback');
  }
}

test.each([
  ['drop table cups', ['The table cups was removed.']],
  [
    'alter table cups rename size to volume',
    [
      'The column cups.size was removed.',
      'The unique index cups (account_id, lower(title)) WHERE (size > 0) was removed.',
    ],
  ],
  [
    'drop index cups_title; alter table cups alter size type bigint',
    [
      'cups.size is now bigint instead of integer.',
      'The unique index cups (account_id, lower(title)) WHERE (size > 0) was removed.',
    ],
  ],
  ['alter table cups alter size set not null', ['cups.size now requires a value.']],
  ['alter table cups alter kind drop default', ['cups.kind now requires a value.']],
  [
    'alter table cups add color text not null',
    ['cups.color is new and requires a value: allow null or add a default.'],
  ],
  ['drop function twice', ['The function twice(n integer) integer was removed.']],
  [
    'alter table cups add constraint small check (size < 9)',
    ['The constraint small of cups restricts rows that were valid before: CHECK ((size < 9)).'],
  ],
  [
    "alter table cups drop constraint cups_kind_check, add constraint cups_kind_check check (kind in ('cup', 'pot'))",
    [
      expect.stringMatching(
        /^The constraint cups_kind_check of cups restricts rows that were valid before/,
      ),
    ],
  ],
])('the previous version cannot continue after: %s', async (commands, expectedViolations) => {
  const violations = await violationsOf(commands);
  expect(violations).toEqual(expect.arrayContaining(expectedViolations as string[]));
  expect(violations.length).toBeGreaterThanOrEqual(expectedViolations.length);
});

test.each([
  'create table plates (account_id bigint, id bigint, primary key (account_id, id))',
  'alter table cups add color text, add weight int not null default 1',
  "alter table cups add color text check (color in ('red', 'blue'))",
  "alter table cups drop constraint cups_kind_check, add constraint cups_kind_check check (kind in ('cup', 'mug', 'pot'))",
  "alter type shade add value 'gray'",
  'alter table cups alter title drop not null, drop constraint cups_kind_check',
  'create index on cups (account_id, size)',
])('the previous version continues after: %s', async (commands) => {
  expect(await violationsOf(commands)).toEqual([]);
});
