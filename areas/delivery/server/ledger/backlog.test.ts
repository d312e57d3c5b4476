// Metrics of the work that senders still have to do.
import { sql } from 'kysely';
import { expect, test } from 'vitest';
import { clock } from '#platform/server/clock.ts';
import { inTransaction } from '#platform/server/database/database.ts';
import { testServer } from '#testing/setup/server.ts';
import { addPeople, startMessage } from '#testing/worlds/sending-helpers.ts';
import { createBacklogFigures } from './backlog.ts';
import { pauseMessage } from './control.ts';

const server = await testServer();

async function readBacklogFigures(): Promise<{ due: number; later: number; preparing: number }> {
  const [waiting, preparing] = await createBacklogFigures(server.db);
  const countOf = (state: string) =>
    waiting?.values.find((value) => value.labels?.is === state)?.value;
  return {
    due: countOf('due') ?? Number.NaN,
    later: countOf('later') ?? Number.NaN,
    preparing: preparing?.values[0]?.value ?? Number.NaN,
  };
}

test('recipients count as waiting until a sender leases them, unless their message is paused', async () => {
  const { accountId } = await server.owner();
  await addPeople(server.db, accountId, 5);
  expect(await readBacklogFigures()).toEqual({ due: 0, later: 0, preparing: 0 });
  const messageId = await startMessage(server.db, accountId);
  clock.advance(60_000);
  const initial = await readBacklogFigures();
  expect(initial).toMatchObject({ due: 0, later: 0 });
  expect(initial.preparing).toBeGreaterThanOrEqual(60);
  await server.runJobs();
  expect(await readBacklogFigures()).toEqual({ due: 5, later: 0, preparing: 0 });

  const ofMessage = sql`account_id = ${accountId} and message_id = ${messageId}`;
  const opensAt = new Date(clock.now().getTime() + 3_600_000);
  await sql`update lanes set opens_at = ${opensAt} where ${ofMessage}`.execute(server.db);
  expect(await readBacklogFigures()).toEqual({ due: 0, later: 5, preparing: 0 });
  clock.advance(3_600_001);
  expect(await readBacklogFigures()).toEqual({ due: 5, later: 0, preparing: 0 });
  await sql`update lanes set leased = 1 where ${ofMessage}
    and lane = (select min(lane) from lanes where ${ofMessage})`.execute(server.db);
  expect((await readBacklogFigures()).due).toBe(4);
  await inTransaction(server.db, (tx) => pauseMessage(tx, accountId, messageId, 'owner'));
  expect(await readBacklogFigures()).toEqual({ due: 0, later: 0, preparing: 0 });
});
