// Counts of audiences by groups: of large accounts members are read as bitmaps, with the same result
// as a plain statement.
import fc from 'fast-check';
import { sql } from 'kysely';
import { expect, test } from 'vitest';
import { gapsOfMany } from '#areas/segments/server/index.ts';
import { clock } from '#platform/server/clock.ts';
import { inTransaction, type Tx } from '#platform/server/database/database.ts';
import { runs } from '#testing/setup/property-runs.ts';
import { testServer } from '#testing/setup/server.ts';
import { countAudience } from './index.ts';

const server = await testServer();
const PEOPLE = 20_000;
/** Of each group, the share of its members: none, few, a third and all. */
const EVERY = [0, 4_001, 3, 1];

/** A large account with four groups, and a gap in its ids as after a restore. */
async function fill(tx: Tx, accountId: number): Promise<number[]> {
  const at = clock.now();
  const { rows } = await sql<{ last: number }>`
    select coalesce(max(id), 0) as last from subscribers`.execute(tx);
  const first = (rows[0]?.last ?? 0) + 1;
  await sql`
    insert into subscribers (account_id, id, email, email_key, email_status, deleted_at, created_at,
      modified_at)
    select ${accountId}, ${first}::bigint + n + case when n > 7000 then 3000000 else 0 end, e, e,
      (case when n % 20 = 0 then 'unsubscribed' else 'active' end)::subscription_status,
      case when n % 97 = 0 then ${at}::timestamptz end, ${at}, ${at}
    from (select n, 'many' || n || '@x.example' as e from generate_series(1, ${PEOPLE}::int) n) x`.execute(
    tx,
  );
  await sql`update accounts set subscriber_count = ${PEOPLE} where id = ${accountId}`.execute(tx);
  const groups = [];
  for (const [index, every] of EVERY.entries()) {
    const { rows: made } = await sql<{ id: number }>`
      insert into groups (account_id, title, title_key, created_at, modified_at)
      values (${accountId}, ${`G${index}`}, ${`g${index}`}, ${at}, ${at}) returning id`.execute(tx);
    const id = made[0]?.id ?? 0;
    groups.push(id);
    if (every === 0) continue;
    await sql`
      insert into group_members (account_id, group_id, subscriber_id, created_at)
      select ${accountId}, ${id}, id, ${at} from subscribers
      where account_id = ${accountId} and id % ${every} = 0`.execute(tx);
  }
  return groups;
}

async function countPlainly(
  tx: Tx,
  accountId: number,
  groups: readonly number[],
  excluded: readonly number[],
) {
  const isIn = (ids: readonly number[]) => sql`s.id in (select subscriber_id from group_members
    where account_id = ${accountId} and group_id = any(${[...ids]}::bigint[]))`;
  const { rows } = await sql<{ reason: string | null; count: number }>`
    select case when ${isIn(excluded)} then 'excluded'
      when s.email_status = 'unsubscribed' then 'unsubscribed' end as reason, count(*) as count
    from subscribers s where s.account_id = ${accountId} and s.deleted_at is null
      and ${isIn(groups)} group by 1`.execute(tx);
  const counts = Object.fromEntries(rows.map(({ reason, count }) => [reason ?? 'count', count]));
  const { count = 0, ...reasons } = counts;
  const total = rows.reduce((sum, row) => sum + row.count, 0);
  return { count, total, excluded: reasons };
}

test('members of groups are counted as bitmaps in large accounts, as a plain statement does', async () => {
  const { accountId } = await server.owner();
  const undo = new Error('undo');
  const done = inTransaction(server.db, async (tx) => {
    const groups = await fill(tx, accountId);
    expect(await gapsOfMany(tx, accountId)).toHaveLength(1);
    await fc.assert(
      fc.asyncProperty(
        fc.subarray(groups, { minLength: 1 }),
        fc.subarray(groups),
        async (named, excluded) => {
          const audience = { all: false, groups: named, excluded };
          const counted = await countAudience(tx, accountId, audience);
          expect(counted).toEqual(await countPlainly(tx, accountId, named, excluded));
        },
      ),
      runs(200, 30),
    );
    throw undo;
  });
  await expect(done).rejects.toBe(undo);
});
