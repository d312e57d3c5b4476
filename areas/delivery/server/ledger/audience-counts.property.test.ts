// Counts of audiences by groups. Members of groups of large accounts are read as bitmaps, with the
// same result as counting rows.
import fc from 'fast-check';
import { sql } from 'kysely';
import { expect, test } from 'vitest';
import { findLargeGaps } from '#areas/segments/server/index.ts';
import { clock } from '#platform/server/clock.ts';
import { inTransaction, type Tx } from '#platform/server/database/database.ts';
import { propertyOptions } from '#testing/setup/property-runs.ts';
import { testServer } from '#testing/setup/server.ts';
import { countAudience } from './index.ts';

const server = await testServer();
const SUBSCRIBER_COUNT = 20_000;
/**
 * Each group has every nth subscriber as a member: one group has no members, one has a few, one has
 * a third, and one has all.
 */
const DIVISORS = [0, 4_001, 3, 1];

/** Adds the subscribers of a large account, with a gap in their IDs as after a restore. */
async function addSubscribers(tx: Tx, accountId: number): Promise<void> {
  const at = clock.now();
  const { rows } = await sql<{ last: number }>`
    select coalesce(max(id), 0) as last from subscribers
    where account_id = ${accountId}`.execute(tx);
  const firstId = (rows[0]?.last ?? 0) + 1;
  await sql`
    insert into subscribers (account_id, id, email, email_key, email_status, deleted_at, created_at,
      modified_at)
    select ${accountId}, ${firstId}::bigint + n + case when n > 7000 then 3000000 else 0 end, e, e,
      (case when n % 20 = 0 then 'unsubscribed' else 'active' end)::subscription_status,
      case when n % 97 = 0 then ${at}::timestamptz end, ${at}, ${at}
    from (select n, 'many' || n || '@x.example' as e from generate_series(1, ${SUBSCRIBER_COUNT}::int) n) x`.execute(
    tx,
  );
  await sql`update accounts set subscriber_count = ${SUBSCRIBER_COUNT} where id = ${accountId}`.execute(
    tx,
  );
}

async function addGroup(tx: Tx, accountId: number, divisor: number): Promise<number> {
  const at = clock.now();
  const { rows } = await sql<{ id: number }>`
    insert into groups (account_id, title, title_key, created_at, modified_at)
    values (${accountId}, ${`G${divisor}`}, ${`g${divisor}`}, ${at}, ${at}) returning id`.execute(
    tx,
  );
  const id = rows[0]?.id ?? 0;
  if (divisor > 0)
    await sql`
      insert into group_members (account_id, group_id, subscriber_id, created_at)
      select ${accountId}, ${id}, id, ${at} from subscribers
      where account_id = ${accountId} and id % ${divisor} = 0`.execute(tx);
  return id;
}

type CountedSubscriber = { id: number; email_status: string };

function countPlainly(
  subscribers: readonly CountedSubscriber[],
  includedDivisors: number[],
  excludedDivisors: number[],
) {
  const isIn = (id: number, divisors: number[]) => divisors.some((divisor) => id % divisor === 0);
  const included = subscribers.filter(({ id }) => isIn(id, includedDivisors));
  const reasons = included.map(({ id, email_status: status }) => {
    if (isIn(id, excludedDivisors)) return 'excluded';
    return status === 'active' ? 'count' : status;
  });
  const counts = Map.groupBy(reasons, (reason) => reason);
  const { count = 0, ...others } = Object.fromEntries(
    [...counts].map(([reason, each]) => [reason, each.length]),
  );
  return { count, total: included.length, excluded: others };
}

test('in large accounts, counts of group members from bitmaps equal counts of rows', async () => {
  const { accountId } = await server.owner();
  const undo = new Error('undo');
  const transaction = inTransaction(server.db, async (tx) => {
    await addSubscribers(tx, accountId);
    const groups = new Map<number, number>();
    for (const divisor of DIVISORS) groups.set(divisor, await addGroup(tx, accountId, divisor));
    expect(await findLargeGaps(tx, accountId)).toHaveLength(1);
    const subscribers = await tx
      .selectFrom('subscribers')
      .select(['id', 'email_status'])
      .where('account_id', '=', accountId)
      .where('deleted_at', 'is', null)
      .execute();
    const idsOf = (divisors: readonly number[]) =>
      divisors.map((divisor) => groups.get(divisor) ?? 0);
    await fc.assert(
      fc.asyncProperty(
        fc.subarray(DIVISORS, { minLength: 1 }),
        fc.subarray(DIVISORS),
        async (includedDivisors, excludedDivisors) => {
          const audience = {
            all: false,
            groups: idsOf(includedDivisors),
            excluded: idsOf(excludedDivisors),
          };
          const counts = await countAudience(tx, accountId, audience);
          expect(counts).toEqual(countPlainly(subscribers, includedDivisors, excludedDivisors));
        },
      ),
      propertyOptions(200, 30),
    );
    throw undo;
  });
  await expect(transaction).rejects.toBe(undo);
});
