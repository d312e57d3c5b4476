import { expect, test } from 'vitest';
import { testServer } from '#testing/setup/server.ts';
import { forEachAccount } from './for-each-account.ts';

test('forEachAccount visits every account despite failures, until its signal aborts', async () => {
  const server = await testServer();
  const ids: number[] = [];
  for (let i = 0; i < 3; i++) ids.push((await server.owner()).accountId);
  const visited: number[] = [];
  const { signal } = new AbortController();
  await forEachAccount(server.db, signal, async (id) => {
    visited.push(id);
    if (id === ids[1]) throw new Error('the files of the account are unreachable');
  });
  expect(visited).toEqual(ids);
  const stopping = new AbortController();
  await forEachAccount(server.db, stopping.signal, async (id) => {
    visited.push(id);
    stopping.abort();
  });
  expect(visited).toEqual([...ids, ids[0]]);
});
