// The table check reports each planted violation and passes valid code.
import { expect, test } from 'vitest';
import { checkTables, type TableRules, findTableViolations } from './check-tables.ts';

const rules: TableRules = {
  layers: [['accounts'], ['fields'], ['groups', 'stores'], ['campaigns']],
  owners: new Map([
    ['accounts', 'accounts'],
    ['groups', 'groups'],
    ['group_notes', 'groups'],
    ['campaigns', 'campaigns'],
    ['processes', 'platform'],
  ]),
  readable: new Map([
    ['groups', ['account_id', 'id', 'title']],
    ['campaigns', ['account_id', 'id']],
  ]),
};
const violationsIn = (area: string, code: string) =>
  findTableViolations(`areas/${area}/server/${area}.sql.ts`, code, rules).map((violation) =>
    violation.replace(/^\S+ /, ''),
  );
const sql = (statement: string) => `const q = sql\`${statement}\`;`;

test.each([
  [
    'a table that is not readable',
    'select note from group_notes where account_id = ${a}',
    'group_notes is not READABLE',
  ],
  [
    'a column that is not readable',
    'select g.secret from groups g where g.account_id = ${a}',
    'groups.secret is not READABLE',
  ],
  [
    'an unreadable table in a list',
    'select 1 from campaigns c, group_notes n where c.id = ${a}',
    'group_notes is not READABLE',
  ],
  [
    'an unreadable table in a join',
    'select 1 from campaigns c left join group_notes n on n.id = c.id',
    'group_notes is not READABLE',
  ],
  [
    'an insert',
    'insert into groups (id) values (${a})',
    'groups belongs to groups: only groups may write it',
  ],
  [
    'an update',
    'update groups set title = ${a} where account_id = ${b}',
    'groups belongs to groups: only groups may write it',
  ],
  [
    'a delete',
    'delete from groups g using campaigns c where g.id = c.id',
    'groups belongs to groups: only groups may write it',
  ],
  [
    'a write within a CTE',
    'with gone as (delete from only groups returning id) select 1 from gone',
    'groups belongs to groups: only groups may write it',
  ],
  [
    'a table of the platform',
    'select 1 from processes',
    'processes belongs to platform: campaigns may not read it',
  ],
])('%s is reported', (_, statement, message) => {
  expect(violationsIn('campaigns', sql(statement)).join('\n')).toContain(message);
});

test.each([
  [`tx.selectFrom('group_notes as n').selectAll()`, 'group_notes is not READABLE'],
  [`tx.selectFrom('campaigns').innerJoin('group_notes', (j) => j)`, 'group_notes is not READABLE'],
  [
    'client.query(`copy groups (${columns}) from stdin`)',
    'groups belongs to groups: only groups may write it',
  ],
  [`tx.updateTable('groups').set({})`, 'groups belongs to groups: only groups may write it'],
  [`accountTable('groups', 'id')`, 'groups belongs to groups: only groups may write it'],
  ["sql`select 1 from ${sql.table(of)}`; const of = 'group_notes'", 'group_notes is not READABLE'],
])('%s is reported', (code, message) => {
  expect(violationsIn('campaigns', `const q = ${code};`).join('\n')).toContain(message);
});

test('tables of the same or a higher layer must not be read', () => {
  const statement = sql('select id from campaigns where account_id = ${a}');
  expect(violationsIn('groups', statement)).toEqual([
    'campaigns belongs to campaigns: groups may not read it.',
  ]);
  expect(violationsIn('stores', sql('select id from groups'))).toEqual([
    'groups belongs to groups: stores may not read it.',
  ]);
});

test.each([
  'select g.title from groups g where g.account_id = ${a}',
  'with group_notes as materialized (select 1 as id) select n.id from group_notes n',
  'update campaigns c set title = g.title from groups as g where g.id = c.id and c.account_id = ${a}',
  'insert into campaigns (id) values (${a}) on conflict do update set id = 1',
  'select id from campaigns where account_id = ${a} for update of groups',
  "select 'from group_notes' as text -- from group_notes",
])('%s is valid', (statement) => {
  expect(violationsIn('campaigns', sql(statement))).toEqual([]);
});

test('each table of the product belongs to one area', () => {
  expect(checkTables([])).toEqual([]);
});
