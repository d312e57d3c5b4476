import { expect, test } from 'vitest';
import { testServer } from '#testing/setup/server.ts';
import { forEachAccount } from './for-each-account.ts';

test('forEachAccount visits every account despite failures, until its signal aborts', async () => {
  const server = await testServer();
  const ids: number[] = [];
  for (let i = 0; i < 3; i++) ids.push((await server.owner()).accountId);
  const visitedIds: number[] = [];
  const { signal } = new AbortController();
  await forEachAccount(server.db, signal, async (id) => {
    visitedIds.push(id);
    if (id === ids[1]) throw new Error('the files of the account are unreachable');
  });
  expect(visitedIds).toEqual(ids);
  const stopping = new AbortController();
  await forEachAccount(server.db, stopping.signal, async (id) => {
    visitedIds.push(id);
    stopping.abort();
  });
  expect(visitedIds).toEqual([...ids, ids[0]]);
});
