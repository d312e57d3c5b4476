import pg from 'pg';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { findCatalogViolations } from './catalog.ts';
import { createTestDatabase } from '../setup/database.ts';

const schema = await createTestDatabase();
const plantedDatabase = await createTestDatabase();
const client = new pg.Client({ connectionString: plantedDatabase });

beforeAll(() => client.connect());
afterAll(() => client.end());

test('the migrated schema can be distributed over a cluster', async () => {
  expect(await findCatalogViolations(schema)).toEqual([]);
});

const KEY = 'primary key (account_id, id)';
const ID = 'account_id bigint not null, id bigint not null';

test.each([
  ['create table a (id bigint primary key)', 'a has no account_id and is not declared global'],
  [
    `create table b (account_id bigint, id bigint not null, unique (account_id, id))`,
    'b.account_id must be bigint not null',
  ],
  [`create table c (account_id int not null, id int not null, ${KEY})`, 'c.account_id must be'],
  [`create table d (${ID})`, 'd has no primary key'],
  [`create table e (${ID}, primary key (id))`, 'the unique key e_pkey does not contain'],
  [`create table f (${ID}, x text unique, ${KEY})`, 'the unique key f_x_key does not contain'],
  [
    `create table g (${ID}, ${KEY}, foreign key (account_id, id) references subscribers (account_id, id) on delete set null)`,
    'g: the foreign key g_account_id_id_fkey may do nothing or cascade',
  ],
  [
    `create table h (${ID}, ${KEY}, foreign key (account_id, id) references subscribers (account_id, id) on update cascade)`,
    'h: the foreign key h_account_id_id_fkey may do nothing or cascade',
  ],
  [
    `create table i (${ID}, ${KEY}, foreign key (id, account_id) references subscribers (account_id, id))`,
    'i: the foreign key i_id_account_id_fkey does not pair the accounts',
  ],
  [
    `alter table memberships add constraint up foreign key (account_id) references accounts (id)`,
    'memberships: the foreign key up points from a global table',
  ],
  [
    `create table j (${ID}, key text references instance_settings (key), ${KEY})`,
    'j: the foreign key j_key_fkey points to a table that is local',
  ],
  [
    `create function stay() returns trigger language plpgsql as 'begin return new; end';
     create table k (${ID}, ${KEY});
     create trigger watch before insert on k for each row execute function stay()`,
    'k has the trigger watch',
  ],
  [`create table l (${KEY}) inherits (groups)`, 'l inherits'],
  [
    `create table m (${ID}, at timestamptz not null, primary key (account_id, id, at)) partition by range (at);
     create table m_one partition of m default partition by range (at)`,
    'm_one is a partition that is partitioned again',
  ],
  [
    `create table n (${ID}, at timestamptz not null, primary key (account_id, id, at)) partition by range (at)`,
    'n has no default partition',
  ],
  [`create table o (account_id bigint not null, id serial, ${KEY})`, 'o.id is a serial of 32 bits'],
  [
    `create table p (account_id bigint not null, id int generated always as identity, ${KEY})`,
    'p.id is a serial of 32 bits',
  ],
])('%s is reported', async (sql, message) => {
  await client.query(sql);
  expect((await findCatalogViolations(plantedDatabase)).join('\n')).toContain(message);
});
