import { expect, test } from 'vitest';
import {
  findMigrationViolations,
  findStatementViolations,
  findTextViolations,
} from './check-statements.ts';

const HOME = 'areas/groups/server/groups.sql.ts';

test.each([
  ['a tagged statement', 'const q = sql`select 1`;'],
  ['a query builder', `const q = tx.selectFrom('groups').selectAll();`],
  ['a write', `await tx.insertInto('groups').values(rows).execute();`],
  ['the generated statements of a table', `const groups = accountTable('groups', 'id');`],
  ['a raw statement', `const q = sql.raw('select 1');`],
  ['a string for the driver', `await client.query('select 1');`],
])('%s is only allowed in *.sql.ts', (_, code) => {
  expect(findStatementViolations('areas/groups/server/groups.ts', code)).toEqual([
    'areas/groups/server/groups.ts:1 SQL belongs in *.sql.ts files only.',
  ]);
  expect(findStatementViolations(HOME, code)).toEqual([]);
});

test.each([
  [`const groups = accountTable(name, 'id');`, 'as literals'],
  [`const groups = accountTable('groups', ...key);`, 'as literals'],
  [`import { accountTable as t } from './account-table.sql.ts';`, 'by its own name'],
])('%s is reported', (code, message) => {
  expect(findStatementViolations(HOME, code).join('\n')).toContain(message);
});

test.each([
  ['select * from g where account_id = $0 and at < now()', 'clock.now()'],
  ['select * from g where at < current_timestamp', 'clock.now()'],
  ['select * from g where account_id::text = $0', 'rule 1'],
  ['select * from g where account_id = (select 1)', 'rule 1'],
  ['delete from j where id in (select id from j limit 5 for update)', 'rule 2'],
  [
    'delete from j using (select id from j limit 5 for update skip locked) d where j.id = d.id',
    'rule 2',
  ],
  ['update g set token = gen_random_uuid() where account_id = $0', 'rule 5'],
  ['update g set wake_at = wake_at + $0 where account_id = $0', 'rule 5'],
  ['update g set wake_at = wake_at + interval $0 where account_id = $0', 'rule 5'],
  ['insert into c (d) select created_at::date from g where account_id = $0', 'rule 5'],
  [
    'insert into g (a) values ($0) on conflict (a) do update set b = upper(excluded.b) returning b',
    'rule 5',
  ],
  [
    'select p.id from processes p join g on g.id = p.id where g.account_id = $0 for update of p',
    'rule 6',
  ],
  [
    `with living as materialized (select id from people where account_id = $0 for key share)
     insert into members (a, g, p) select $0, g.id, living.id from groups g, living where g.account_id = $0`,
    'rule 12',
  ],
  ["update i set s = s || jsonb_build_object('ids', id) where account_id = $0", 'rule 5'],
  ['update i set title = concat(title, $0) where account_id = $0', 'rule 5'],
  [
    `with given as materialized (select id from g where account_id = $0)
     update i set s = jsonb_build_array(given.id) from given where i.account_id = $0`,
    'rule 5',
  ],
  ['insert into g (a, b) values ($0, (select max(b) from g where account_id = $0))', 'rule 14'],
  [
    'insert into g (a, b) values ($0, $0) on conflict (a) do update set b = (select $0 + 1)',
    'rule 14',
  ],
  [
    `insert into g (a, b) select $0, told.b from jsonb_to_recordset($0::jsonb) as told (b text)
     where not exists (select from g had where had.account_id = $0 and had.b = told.b)`,
    'rule 14',
  ],
  [
    `insert into g (a, b) select $0, b from unnest($0::text[]) b
     on conflict (a, b) do update set n = g.n + 1 where g.at < $0`,
    'rule 14',
  ],
  [
    `insert into g (a, b) select $0, b from (select distinct unnest($0::text[]) as b) given
     where not exists (select 1 from g had where had.account_id = $0 and had.b = given.b)`,
    'rule 14',
  ],
  [
    `insert into g (a, b) select $0, $0::int where $0::int <= $0::int
     on conflict (a) do update set b = g.b + excluded.b where g.b + excluded.b <= $0::int returning 1`,
    'rule 14',
  ],
  [
    `with next as materialized (select b from h where account_id = $0 for update)
     insert into g (a, b) select $0, b from next returning b, (select b from next) as c`,
    'rule 14',
  ],
  [
    'select g.account_id from g group by 1 having (select count(*) from h where h.account_id = g.account_id) > 1',
    'rule 15',
  ],
  ["select case kind when 'open' then 1 else 0 end from g where account_id = $0", 'rule 16'],
  ['select pg_notify($0, $0) from groups where account_id = $0', 'rule 7'],
  ['select graphile_worker.add_job($0) from groups where account_id = $0', 'rule 7'],
])('%s is refused', (statement, message) => {
  expect(findTextViolations(statement).join(' ')).toContain(message);
  expect(findStatementViolations(HOME, `const q = sql\`${statement}\`.execute(tx);`)).toHaveLength(
    findTextViolations(statement).length,
  );
});

test.each([
  'select id from groups where account_id = $0 -- now() is only spoken of',
  `select 'now()' as text`,
  `with due as materialized (select id from j where account_id = $0 limit 5 for update skip locked)
   update j set started = true from due where j.id = due.id and j.account_id = $0`,
  `with later as materialized (select id, wake_at + interval '1 h' as at from g where account_id = $0)
   update g set wake_at = later.at from later where g.account_id = $0 and g.id = later.id`,
  `insert into g (a, n) values ($0, 1)
   on conflict (a) do update set n = g.n + excluded.n, b = coalesce(excluded.b, g.b) returning lower(b)`,
  `insert into members (a, g, p)
   with living as materialized (select id from people where account_id = $0 for key share)
   select $0, g.id, living.id from groups g, living where g.account_id = $0`,
  `with due as materialized (select id from j where account_id = $0 for update skip locked)
   insert into d (a, id) select $0, due.id from due`,
  `update i set s = s || jsonb_build_object('at', $0::text, 'n', lower($0)) where account_id = $0`,
  `with later as materialized (select id, s || jsonb_build_object('id', id) as s from i where account_id = $0 for update)
   update i set s = later.s from later where i.account_id = $0 and i.id = later.id`,
  `update i set s = s || jsonb_build_object('n', coalesce((s->>'n')::int, 0) + 1,
     'at', case when s->>'at' = $0 then 1 else 2 end) where account_id = $0`,
  'insert into coupon_counts (a, b) values ($0, (select 1))',
  `insert into g (a, b) select $0, l.b from unnest($0::bigint[]) p (id)
   cross join lateral (select max(b) as b from (select * from h where account_id = $0 and h.id = p.id) o) l`,
  `insert into g (a, b) select $0, b from unnest($0::text[]) as given (b)
   where b not in (select had.b from g had where had.account_id = $0)`,
  `insert into g (a, b) select f.account_id, given.b from f join unnest($0::text[]) as given (b) on given.b = f.b
   where exists (select 1 from h where h.account_id = f.account_id and h.b = given.b)`,
  `insert into g (a, b) values ($0, 'select (select)') on conflict (a, b) do update set n = $0`,
  `insert into g (a, b) select $0, b from f cross join unnest($0::text[]) b where f.account_id = $0
   on conflict (a, b) do update set n = g.n + 1 where g.at < $0`,
  'select id from g where account_id = $0 group by id having (select count(*) from h where account_id = $0) > 1',
  "select case when kind = 'open' then 1 else 0 end from g where account_id = $0",
  'select pg_notify($0, $0)',
  'select graphile_worker.add_job(p) from unnest($0::text[]) p',
  'select 1 from graphile_worker.add_job($0)',
  'select a.id from a join b on b.id = a.id and b.account_id = $0 where a.account_id = $0 for update',
  `select a.id from a join b on b.id = a.id and b.account_id = $0
   where a.account_id = $0 and a.n is distinct from b.n for update of a`,
  'select id from j where account_id = $0 limit 1 for update skip locked',
  `with asked as (select $0 as id), held as materialized (
     select j.id from j join asked on asked.id = j.id for update of j)
   insert into k (id) select id from held`,
])('%s is valid', (statement) => {
  expect(findTextViolations(statement)).toEqual([]);
});

test('a lease built with the query builder must be materialized', () => {
  const lease = (innerSql: string) => `export const q = (tx: Tx) => ${innerSql};`;
  const lockedSql = `tx.deleteFrom('j').where('id', 'in', tx.selectFrom('j').select('id').forUpdate().skipLocked())`;
  expect(findStatementViolations(HOME, lease(lockedSql))[0]).toContain('rule 2');
  const cte = `tx.with((c) => c('due').materialized(), (db) => db.selectFrom('j').select('id').forUpdate().skipLocked()).updateTable('j')`;
  expect(findStatementViolations(HOME, lease(cte))).toEqual([]);
});

test('a fragment is not checked for rules that depend on its statement', () => {
  const claim = 'insert into k (a, b) select $0, b from unnest($0::text[]) b on conflict (a, b)';
  const text = `${claim} do update set n = 1 where k.at < \${at}::timestamptz returning b`;
  const violations = findStatementViolations(HOME, `const q = sql\`${text}\`.execute(tx);`);
  expect(violations.join(' ')).toContain('rule 14');
  expect(findStatementViolations(HOME, `const part = (at) => sql\`${text}\`;`)).toEqual([]);
});

test('query builder values must not contain a subquery', () => {
  const insert = (table: string, values: string) =>
    `export const q = (tx: Tx) => tx.insertInto('${table}').values(${values}).execute();`;
  const insertValues = "{ a: 1, b: tx.selectFrom('h').select('b').where('account_id', '=', 1) }";
  expect(findStatementViolations(HOME, insert('g', insertValues)).join(' ')).toContain('rule 14');
  const text = '{ a: 1, b: sql`(select max(b) from g where account_id = ${id})` }';
  expect(findStatementViolations(HOME, insert('g', text)).join(' ')).toContain('rule 14');
  expect(findStatementViolations(HOME, insert('coupon_counts', insertValues))).toEqual([]);
  expect(findStatementViolations(HOME, insert('g', '{ a: 1, b: 2 }'))).toEqual([]);
});

test('migrations must not read the clock, create triggers or use foreign keys that set null', () => {
  const sql = `create table a (at timestamptz default now());
create trigger t after insert on a execute function f();
alter table a add foreign key (b) references c on delete set null; -- now()
create table fine (at timestamptz not null);`;
  expect(findMigrationViolations('m.sql', sql).map((violation) => violation.split(' ')[0])).toEqual(
    ['m.sql:1', 'm.sql:2', 'm.sql:3'],
  );
});

test('the number of affected rows must not be used if rows may be skipped', () => {
  const counting = (sql: string) =>
    `async function add(tx) { const { numAffectedRows } = await sql\`${sql}\`.execute(tx); return numAffectedRows; }`;
  const insertSql =
    'insert into g (a, b) select $0, b from h where a = $0 on conflict (a, b) do nothing';
  expect(findStatementViolations(HOME, counting(insertSql)).join(' ')).toContain('rule 11');
  expect(findStatementViolations(HOME, counting(`${insertSql} returning b`))).toEqual([]);
  expect(findStatementViolations(HOME, `const q = sql\`${insertSql}\`;`)).toEqual([]);
});

test.each([
  ["alter table a add column b text check (b in ('x', 'y'));", 'has no key and no check'],
  ['alter table a add column b bigint references c (id), add column d int;', 'has no key'],
  [
    'alter table a add column b int, add foreign key (b) references c (id);',
    'statement of its own',
  ],
  ["update a set purge_at = deleted_at + interval '30 days';", 'rule 5'],
])('a migration must not contain %s', (text, message) => {
  expect(findMigrationViolations('migrations/0099-x.sql', text).join(' ')).toContain(message);
});

test.each([
  "alter table a add column b text not null default 'x', add column c int;\nalter table a add constraint b_check check (b <> '');",
  'alter table a drop constraint a_pkey;\nalter table a add primary key (account_id, id);',
  "update a set purge_at = (deleted_at at time zone 'UTC' + interval '30 days') at time zone 'UTC';",
  'create table a (account_id bigint not null, b text check (length(b) < 10), primary key (account_id));',
])('a migration may contain %s', (text) => {
  expect(findMigrationViolations('migrations/0099-x.sql', text)).toEqual([]);
});
