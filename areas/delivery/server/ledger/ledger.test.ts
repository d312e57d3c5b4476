// Tests which recipients a step of a leased range starts with, and that steps reuse a query plan.
import { sql } from 'kysely';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { clock } from '#platform/server/clock.ts';
import { createDatabase, type Db } from '#platform/server/database/database.ts';
import { startMessage } from '#testing/worlds/sending-helpers.ts';
import { testServer } from '#testing/setup/server.ts';
import { startRange, type StepOptions } from './ledger.sql.ts';

const server = await testServer();
const LANE = 20_000;
const OWNER = 'this test';
let db: Db;
let accountId: number;
let messageId: number;

beforeAll(async () => {
  accountId = (await server.owner()).accountId;
  // Statements are prepared per connection.
  db = createDatabase(server.config.databaseUrl as string, 1);
  messageId = await startMessage(db, accountId);
  const at = clock.now();
  await sql`with people as (
      insert into subscribers (account_id, email, email_key, created_at, modified_at)
      select ${accountId}::bigint, e, e, ${at}, ${at}
      from (select 'person' || n || '@home.example' as e from generate_series(1, ${LANE}::int) n) p
      returning id)
    insert into recipients (account_id, message_id, lane, ordinal, subscriber_id)
    select ${accountId}::bigint, ${messageId}::bigint, 0, row_number() over (order by id), id
    from people`.execute(db);
  await sql`insert into leases
      (account_id, message_id, lane, from_ordinal, to_ordinal, started_to, owner, expires_at)
    values (${accountId}, ${messageId}, 0, 1, ${LANE}, 0, ${OWNER}, ${hour()})`.execute(db);
  await sql`analyze subscribers, recipients, leases`.execute(db);
});

afterAll(() => db.destroy());

const hour = () => new Date(clock.now().getTime() + 3_600_000);

function startTestRange(
  afterOrdinal: number,
  lastOrdinal: number,
): Promise<{ ordinal: number; skip_reason: string }[]> {
  const step: StepOptions = {
    scope: { channel: 'email' },
    channel: 'email',
    owner: OWNER,
    now: clock.now(),
    leasedUntil: hour(),
    isMarketing: true,
    needsFields: false,
  };
  return startRange(
    db,
    accountId,
    messageId,
    { lane: 0, from: 1, after: afterOrdinal, lastOrdinal },
    step,
  );
}

test('a step returns its ordinals in order, and later steps reuse the query plan', async () => {
  const steps = [10, 10, 10, 10, 10, 120, 120, 120, 120, 7];
  let afterOrdinal = 0;
  for (const size of steps) {
    const rows = await startTestRange(afterOrdinal, afterOrdinal + size);
    const ordinals = Array.from({ length: size }, (_, i) => afterOrdinal + 1 + i);
    expect(rows.map((row) => row.ordinal)).toEqual(ordinals);
    afterOrdinal += size;
  }
  // A repeated start of an earlier step returns no recipients.
  expect(await startTestRange(0, 10)).toEqual([]);

  const { rows } = await sql<{ planned: number; reused: number }>`
    select custom_plans as planned, generic_plans as reused from pg_prepared_statements
    where statement like '%update leases l set started_to%'`.execute(db);
  expect(rows).toHaveLength(1);
  // PostgreSQL always plans the first five executions with their values.
  expect(rows[0]?.planned).toBeLessThanOrEqual(5);
  expect(rows[0]?.reused).toBeGreaterThan(0);
});
