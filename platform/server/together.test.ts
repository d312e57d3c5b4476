// What is asked at the same moment is asked once, and nobody gets an answer that is older than the question.
import { expect, test } from 'vitest';
import { freshRead, writeTogether } from './together.ts';

const turns = async (count: number) => {
  for (let i = 0; i < count; i++) await new Promise(setImmediate);
};

test('a reading begins after all who share it have asked; who asks while it runs gets the next', async () => {
  const begun: ((value: string) => void)[] = [];
  const read = freshRead(
    () => new Promise<string>((answer) => begun.push(answer)),
    (name: string) => name,
  );
  const first = [read('a'), read('a')];
  const other = read('b');
  await turns(2);
  expect(begun).toHaveLength(2);
  const late = [read('a'), read('a')];
  await turns(2);
  expect(begun).toHaveLength(2);
  begun[0]?.('old');
  begun[1]?.('other');
  expect(await Promise.all(first)).toEqual(['old', 'old']);
  expect(await other).toBe('other');
  await turns(2);
  expect(begun).toHaveLength(3);
  begun[2]?.('new');
  expect(await Promise.all(late)).toEqual(['new', 'new']);
});

test('a reading that fails fails for those who shared it, and the next is begun', async () => {
  let count = 0;
  const read = freshRead(
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

test('what comes in one turn, and while the one before is written, is written at once', async () => {
  const written: number[][] = [];
  const { add } = writeTogether<number, number>(3, async (rows) => {
    written.push(rows);
    await turns(3);
    return rows.map((row) => row * 10);
  });
  expect(await Promise.all([1, 2, 3, 4].map((row) => add(row)))).toEqual([10, 20, 30, 40]);
  expect(written).toEqual([[1, 2, 3], [4]]);
});
