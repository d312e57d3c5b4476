// An unreachable node of a cluster: its messages wait until the node returns, while messages of
// other nodes are sent. Triggers raise the error that the coordinator would.
import { sql } from 'kysely';
import { expect, onTestFinished, test } from 'vitest';
import { isFinished, waitForDelivery } from '#testing/worlds/sending-helpers.ts';
import { startTestSender } from '#testing/worlds/sender.ts';
import { expectInvariant, prepareCampaign, relay, server } from '#testing/worlds/sending-setup.ts';

const TABLES = ['leases', 'results', 'deferrals'];

/**
 * Makes writes of these accounts' leases, results and deferrals fail until the returned function is
 * called.
 */
async function loseNodeOf(accountIds: readonly number[]): Promise<() => Promise<void>> {
  await sql`create or replace function node_away() returns trigger language plpgsql as $$ begin
    raise exception 'connection to the remote node sendloom@10.0.0.2:5432 failed'
      using errcode = '08006';
  end $$`.execute(server.db);
  for (const table of TABLES) {
    await sql
      .raw(
        `create trigger away before insert or update on ${table} for each row
         when (new.account_id in (${accountIds.join()})) execute function node_away()`,
      )
      .execute(server.db);
  }
  const returnNode = async () => {
    for (const table of TABLES) {
      await sql.raw(`drop trigger if exists away on ${table}`).execute(server.db);
    }
  };
  onTestFinished(returnNode);
  return returnNode;
}

test('a campaign that starts while the node of other accounts is unreachable is sent at full speed', async () => {
  const unreachable = [
    await prepareCampaign(600),
    await prepareCampaign(600),
    await prepareCampaign(600),
  ];
  startTestSender(server.db, relay.url, { rate: 200 });
  await relay.waitForMessages(60);
  const returnNode = await loseNodeOf(unreachable.map(({ accountId }) => accountId));
  const fine = await prepareCampaign(400);
  const startedAt = performance.now();
  await waitForDelivery(server.db, fine.accountId, fine.messageId, isFinished, 30_000);
  // At its rate, sending takes 2 seconds.
  expect(performance.now() - startedAt).toBeLessThan(6_000);
  await returnNode();
  for (const { accountId, messageId } of unreachable) {
    await waitForDelivery(server.db, accountId, messageId, isFinished, 60_000);
    await expectInvariant(accountId, messageId, { accepted: 600 });
  }
}, 120_000);
