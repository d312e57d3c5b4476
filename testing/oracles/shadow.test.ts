import { beforeAll, expect, test } from 'vitest';
import { createTestDatabase } from '../setup/database.ts';
import { castShadow, findShadowViolations } from './shadow.ts';

const url = await createTestDatabase();
beforeAll(() => castShadow(url));

const COLUMNS = '(account_id, title, created_at, modified_at)';

test.each([
  ['select * from groups where account_id = $1', [7]],
  ['select * from groups g join subscribers s using (account_id) where g.account_id = $1', [7]],
  ['select * from accounts a join groups g on g.account_id = a.id where a.id = $1', [7]],
  [
    `update groups set title = v.t from unnest($2::bigint[], $3::text[]) v(id, t)
    where groups.account_id = $1 and groups.id = v.id`,
    [7, [1, 2], ['a', 'b']],
  ],
  [
    `insert into groups ${COLUMNS} select account_id, $2, $3, $3 from subscribers where account_id = $1`,
    [7, 'x', '2026-01-01'],
  ],
  ['select * from users where email_key = $1', ['a@b.example']],
  [
    `insert into subscribers (account_id, email, email_key, created_at, modified_at)
    values ($1, $2, $2, $3, $3) on conflict on constraint subscribers_pkey do nothing`,
    [7, 'a@b.example', '2026-01-01'],
  ],
  ['commit', []],
] as [string, unknown[]][])('%s is bound to one account', async (sql, parameters) => {
  expect(await findShadowViolations(url, [{ sql, parameters }])).toEqual([]);
});

test.each([
  ['select * from groups where id = $1', [7], 'Not bound to one account: groups.'],
  ['select * from groups where account_id::text = $1', ['7'], 'Not bound'],
  [
    'select * from groups where account_id = $1 and exists (select 1 from subscribers)',
    [7],
    'Not bound to one account: subscribers.',
  ],
  ['update groups set title = $1 where id = $2', ['x', 7], 'Not bound'],
  ['delete from groups', [], 'Not bound'],
  [
    'select 1 from groups g join subscribers s on s.id = g.id where g.account_id = $1 and s.account_id = $2',
    [7, 9],
    'Binds its tables to different accounts',
  ],
  ['select * from nowhere', [], 'Cannot be explained'],
] as [string, unknown[], string][])('%s is reported', async (sql, parameters, message) => {
  expect((await findShadowViolations(url, [{ sql, parameters }])).join()).toContain(message);
});

test('an exception that no statement needs is reported', async () => {
  const unbound = { sql: 'select  *\n from groups', parameters: [] };
  const exception = { begins: 'select * from groups', reason: 'the elected poller' };
  expect(await findShadowViolations(url, [unbound], [exception])).toEqual([]);
  expect(await findShadowViolations(url, [], [exception])).toEqual([
    'No statement needs the exception: select * from groups',
  ]);
});

test('statements on temporary tables are explained together with the queries that fill the tables', async () => {
  const statements = [
    { sql: 'select * from second_groups', parameters: [] },
    {
      sql: 'create temp table second_groups on commit drop as select * from own_groups',
      parameters: [],
    },
    {
      sql: 'create temp table own_groups on commit drop as select * from groups where account_id = $1',
      parameters: [7],
    },
    { sql: 'create temp table all_groups on commit drop as select * from groups', parameters: [] },
  ];
  const violations = await findShadowViolations(url, statements);
  expect(violations).toHaveLength(1);
  expect(violations[0]).toContain('Not bound to one account: groups.');
});
