// Runs tasks with the same key sequentially: concurrent guesses of one password must not share a
// delay.

/**
 * Runs `task` after the earlier tasks of its key; returns undefined without running it if
 * `maxWaiting` tasks already run or wait.
 */
export type OneByOne = <T>(
  key: string,
  task: () => Promise<T>,
) => Promise<{ result: T } | undefined>;

export function createSerialRunner(maxWaiting: number): OneByOne {
  const queues = new Map<string, { last: Promise<unknown>; waiting: number }>();
  return async (key, task) => {
    const queue = queues.get(key) ?? { last: Promise.resolve(), waiting: 0 };
    if (queue.waiting >= maxWaiting) return undefined;
    queues.set(key, queue);
    queue.waiting += 1;
    const run = queue.last.then(task);
    queue.last = run.catch(() => {});
    try {
      return { result: await run };
    } finally {
      queue.waiting -= 1;
      if (queue.waiting === 0) queues.delete(key);
    }
  };
}
