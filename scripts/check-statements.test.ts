import { expect, test } from 'vitest';
import { migrationBreaches, statementBreaches, textBreaches } from './check-statements.ts';

const HOME = 'areas/groups/server/groups.sql.ts';

test.each([
  ['a tagged statement', 'const q = sql`select 1`;'],
  ['a query builder', `const q = tx.selectFrom('groups').selectAll();`],
  ['a write', `await tx.insertInto('groups').values(rows).execute();`],
  ['raw text', `const q = sql.raw('select 1');`],
  ['a text for the driver', `await client.query('select 1');`],
])('%s stands in *.sql.ts only', (_, code) => {
  expect(statementBreaches('areas/groups/server/groups.ts', code)).toEqual([
    'areas/groups/server/groups.ts:1 SQL stands in *.sql.ts only.',
  ]);
  expect(statementBreaches(HOME, code)).toEqual([]);
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
  ['select pg_notify($0, $0) from groups where account_id = $0', 'rule 7'],
  ['select graphile_worker.add_job($0) from groups where account_id = $0', 'rule 7'],
])('%s is refused', (statement, words) => {
  expect(textBreaches(statement).join(' ')).toContain(words);
  expect(statementBreaches(HOME, `const q = sql\`${statement}\`;`)).toHaveLength(
    textBreaches(statement).length,
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
])('%s is sound', (statement) => {
  expect(textBreaches(statement)).toEqual([]);
});

test('a lease of the query builder is materialized', () => {
  const lease = (inner: string) => `export const q = (tx: Tx) => ${inner};`;
  const locked = `tx.deleteFrom('j').where('id', 'in', tx.selectFrom('j').select('id').forUpdate().skipLocked())`;
  expect(statementBreaches(HOME, lease(locked))[0]).toContain('rule 2');
  const cte = `tx.with((c) => c('due').materialized(), (db) => db.selectFrom('j').select('id').forUpdate().skipLocked()).updateTable('j')`;
  expect(statementBreaches(HOME, lease(cte))).toEqual([]);
});

test('migrations read no clock, have no trigger and no key that sets null', () => {
  const sql = `create table a (at timestamptz default now());
create trigger t after insert on a execute function f();
alter table a add foreign key (b) references c on delete set null; -- now()
create table fine (at timestamptz not null);`;
  expect(migrationBreaches('m.sql', sql).map((breach) => breach.split(' ')[0])).toEqual([
    'm.sql:1',
    'm.sql:2',
    'm.sql:3',
  ]);
});
