// Provider events of all accounts and of the installation (account 0) are stored for two months,
// then deleted in pages.
import { sql } from 'kysely';
import { expect, test } from 'vitest';
import { clock } from '#platform/server/clock.ts';
import { testServer } from '#testing/setup/server.ts';
import { providerEventsPoller } from './provider-events.ts';

test('provider events of all accounts are deleted after two months', async () => {
  const server = await testServer();
  const owners = [await server.owner(), await server.owner(), await server.owner()];
  const ids = [0, ...owners.map(({ accountId }) => accountId)];
  for (const id of ids) {
    const add = (event: string, days: number) =>
      sql`insert into provider_events (account_id, provider, event_id, at) values
        (${id}, 'ses', ${event}, ${new Date(clock.now().getTime() - days * 86_400_000)})`.execute(
        server.db,
      );
    await add('old', 61);
    await add('young', 59);
  }
  await providerEventsPoller(2).run(server.db, new AbortController().signal);
  const { rows } = await sql`select account_id, event_id from provider_events
    order by account_id`.execute(server.db);
  expect(rows).toEqual(ids.map((account_id) => ({ account_id, event_id: 'young' })));
});
