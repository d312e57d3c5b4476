import { expect, test } from 'vitest';
import { readMigrations } from './migrate.ts';
import { splitStatements } from './sql-statements.ts';

test('semicolons in strings, names, comments and functions do not end a statement', () => {
  expect(
    splitStatements(`
      -- first; of two
      create table a (b text default 'x;''y', "c;d" int); /* between; them */
      create function f() returns void language plpgsql as $body$ begin perform 1; end $body$;;
      update a set b = c - 1 / 2 -- the last one has no end
    `),
  ).toEqual([
    `create table a (b text default 'x;''y', "c;d" int)`,
    'create function f() returns void language plpgsql as $body$ begin perform 1; end $body$',
    'update a set b = c - 1 / 2',
  ]);
});

test('each statement of a migration begins with an SQL keyword', async () => {
  const migrations = await readMigrations();
  const verbs = migrations
    .flatMap(({ sql }) => splitStatements(sql))
    .map((text) => /^\w+/.exec(text)?.[0]);
  expect(verbs.length).toBeGreaterThan(migrations.length);
  const keywords = [
    'alter',
    'create',
    'delete',
    'do',
    'drop',
    'insert',
    'select',
    'update',
    'with',
  ];
  expect([...new Set(verbs)].filter((verb) => !keywords.includes(verb ?? ''))).toEqual([]);
});
