// The handoffs of a step are created in small groups, one per turn of the event loop, so that
// replies of the relay are handled in between.
import { sql } from 'kysely';
import { expect, test, vi } from 'vitest';
import { clock } from '#platform/server/clock.ts';
import { startMessage } from '#testing/worlds/sending-helpers.ts';
import { testServer } from '#testing/setup/server.ts';
import { ActiveMessages } from './active-messages.ts';
import { RangeQueue } from './ranges.ts';

const server = await testServer();

test('the handoffs of a step are created 24 per turn of the event loop, in order', async () => {
  const { db } = server;
  const { accountId } = await server.owner();
  const messageId = await startMessage(db, accountId);
  const at = clock.now();
  await sql`with people as (
      insert into subscribers (account_id, email, email_key, created_at, modified_at)
      select ${accountId}::bigint, e, e, ${at}, ${at}
      from (select 'person' || n || '@home.example' as e from generate_series(1, 100) n) p
      returning id)
    insert into recipients (account_id, message_id, lane, ordinal, subscriber_id)
    select ${accountId}::bigint, ${messageId}::bigint, 0, row_number() over (order by id), id
    from people`.execute(db);
  await sql`insert into lanes (account_id, message_id, lane, written)
    values (${accountId}, ${messageId}, 0, 100)`.execute(db);
  const message = await new ActiveMessages(db, 10, () => false).get(accountId, messageId);
  if (typeof message === 'string') throw new Error(message);

  const ranges = new RangeQueue(db, 'this test', { channel: 'email' });
  const { lease } = await ranges.next(message, 100, () => Number.POSITIVE_INFINITY);
  if (!lease) throw new Error('There is nothing to lease');
  let turnCount = 0;
  let next = setImmediate(function turn() {
    turnCount++;
    next = setImmediate(turn);
  });
  const turnsOfParts: number[] = [];
  const createHandoffs = message.createHandoffs.bind(message);
  vi.spyOn(message, 'createHandoffs').mockImplementation((copies, now) => {
    turnsOfParts.push(turnCount);
    return createHandoffs(copies, now);
  });
  const handoffs = await ranges.startHandoffs(lease, 100, at).finally(() => clearImmediate(next));

  expect(handoffs.map(({ row }) => row.kind === 'range' && row.ordinal)).toEqual(
    Array.from({ length: 100 }, (_, i) => i + 1),
  );
  expect(lease).toMatchObject({ startedTo: 100, unwrittenCount: 100, isStarting: false });
  expect(new Set(turnsOfParts).size).toBe(5);
});
