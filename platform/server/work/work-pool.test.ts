// The thread pool returns results, kills work that is too heavy and schedules accounts fairly.
import { expect, test } from 'vitest';
import { FairTurns } from './fair-turns.ts';
import { renderMetrics } from '../metrics.ts';
import { defineWork, runForKey } from './work-pool.ts';

const moduleOf = (source: string) => new URL(`data:text/javascript,${encodeURIComponent(source)}`);

const sample = defineWork<
  { do: 'spin' | 'busy' | 'crawl' | 'fill' | 'fail' | 'sum'; of?: number[] },
  number
>({
  kind: 'sample',
  url: moduleOf(`
    export function work({ do: what, of = [] }) {
      if (what === 'spin') for (;;);
      const cell = new Int32Array(new SharedArrayBuffer(4));
      for (let turn = 0; what === 'crawl' && turn < 50; turn++) {
        for (const since = Date.now(); Date.now() - since < 2; );
        Atomics.wait(cell, 0, 0, 40);
      }
      const until = Date.now() + (what === 'busy' ? 100 : 0);
      while (Date.now() < until);
      if (what === 'fail') throw new Error('No such thing');
      const held = [];
      while (what === 'fill') held.push(new Array(1e6).fill(held.length));
      return of.reduce((sum, n) => sum + n, 0);
    }`),
  cpuMs: 200,
});

test('endless work is killed with an error and counted, and the next work runs', async () => {
  await expect(sample({ do: 'spin' })).rejects.toMatchObject({ code: 'work_too_heavy' });
  expect(await sample({ do: 'sum', of: [1, 2] })).toBe(3);
  const { text } = await renderMetrics();
  expect(text).toMatch(/sendloom_work_killed\{kind="sample",why="cpu"\} 1/);
});

test('work slowed down by a busy machine is not killed while its processor time grows', async () => {
  const startedAt = performance.now();
  expect(await sample({ do: 'crawl', of: [4] })).toBe(4);
  expect(performance.now() - startedAt).toBeGreaterThan(6 * 200);
});

test('work that fills its memory is killed, and concurrent work is not', async () => {
  const fullTask = sample({ do: 'fill' }, { cpuMs: 60_000 });
  const sumTask = sample({ do: 'sum', of: [2, 3] }, { key: 'another account' });
  await expect(fullTask).rejects.toMatchObject({ code: 'work_too_heavy' });
  expect(await sumTask).toBe(5);
});

test('an error in the work is rethrown to the caller, and the thread remains usable', async () => {
  await expect(sample({ do: 'fail' })).rejects.toThrow('No such thing');
  expect(await sample({ do: 'sum', of: [1] })).toBe(1);
});

test('an account’s work does not wait behind another account’s long queue', async () => {
  const order: string[] = [];
  const recordOrder = (name: string) => () => order.push(name);
  const manyTasks = Array.from({ length: 10 }, () =>
    runForKey(1, () => sample({ do: 'busy' })).then(recordOrder('first')),
  );
  const singleTask = runForKey(2, () => sample({ do: 'busy' })).then(recordOrder('second'));
  await Promise.all([...manyTasks, singleTask]);
  expect(order.indexOf('second')).toBeLessThan(8);
});

test('accounts take turns within their own limits', async () => {
  const turns = new FairTurns({ maxConcurrent: 2, maxPerKey: 1, maxWaiting: 10 });
  const order: string[] = [];
  const running = new Set<string>();
  const runTask = (key: string, name: string) =>
    turns.run(key, async () => {
      expect(running.has(key)).toBe(false);
      running.add(key);
      order.push(name);
      await new Promise((resolve) => setTimeout(resolve, 2));
      running.delete(key);
    });
  await Promise.all([
    runTask('a', 'a1'),
    runTask('a', 'a2'),
    runTask('a', 'a3'),
    runTask('b', 'b1'),
    runTask('c', 'c1'),
    runTask('b', 'b2'),
  ]);
  expect(order.slice(0, 2)).toEqual(['a1', 'b1']);
  expect(order.indexOf('c1')).toBeLessThan(order.indexOf('a3'));
  expect(turns.waitingCount).toBe(0);
});

test('an account that queues too much work is refused, and other accounts are not', async () => {
  const turns = new FairTurns({ maxConcurrent: 1, maxPerKey: 1, maxWaiting: 1 });
  const { promise, resolve } = Promise.withResolvers<void>();
  const running = turns.run(1, () => promise);
  const waiting = turns.run(1, async () => 'waited');
  await expect(turns.run(1, async () => 'too many')).rejects.toMatchObject({
    code: 'too_many_requests',
  });
  const otherTurn = turns.run(2, async () => 'other');
  resolve();
  expect(await Promise.all([running, waiting, otherTurn])).toEqual([undefined, 'waited', 'other']);
});
