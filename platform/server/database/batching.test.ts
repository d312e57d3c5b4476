// Concurrent identical requests are coalesced, and no caller gets a result older than its request.
import { expect, test } from 'vitest';
import { shareFreshReads, createBatchWriter } from './batching.ts';

const waitTurns = async (count: number) => {
  for (let i = 0; i < count; i++) await new Promise(setImmediate);
};

test('callers share a read that starts after their calls; callers during a read share the next one', async () => {
  const resolvers: ((value: string) => void)[] = [];
  const read = shareFreshReads(
    () => new Promise<string>((resolve) => resolvers.push(resolve)),
    (name: string) => name,
  );
  const first = [read('a'), read('a')];
  const otherRead = read('b');
  await waitTurns(2);
  expect(resolvers).toHaveLength(2);
  const lateReads = [read('a'), read('a')];
  await waitTurns(2);
  expect(resolvers).toHaveLength(2);
  resolvers[0]?.('old');
  resolvers[1]?.('other');
  expect(await Promise.all(first)).toEqual(['old', 'old']);
  expect(await otherRead).toBe('other');
  await waitTurns(2);
  expect(resolvers).toHaveLength(3);
  resolvers[2]?.('new');
  expect(await Promise.all(lateReads)).toEqual(['new', 'new']);
});

test('a failed read affects only its callers; the next caller starts a new read', async () => {
  let count = 0;
  const read = shareFreshReads(
    async () => {
      count += 1;
      if (count === 1) throw new Error('no');
      return count;
    },
    (name: string) => name,
  );
  const first = read('a');
  await expect(first).rejects.toThrow('no');
  expect(await read('a')).toBe(2);
});

test('rows added in one turn are written together, up to the maximum per write', async () => {
  const batches: number[][] = [];
  const { add } = createBatchWriter<number, number>(3, async (rows) => {
    batches.push(rows);
    await waitTurns(3);
    return rows.map((row) => row * 10);
  });
  expect(await Promise.all([1, 2, 3, 4].map((row) => add(row)))).toEqual([10, 20, 30, 40]);
  expect(batches).toEqual([[1, 2, 3], [4]]);
});
