// Runs tasks with the same key one after the other. The sign-in delays each wrong guess of a
// password: concurrent guesses would wait at the same time, and so be as fast as a single one.

/**
 * Runs `task` after the earlier tasks of its key; returns undefined without running it if
 * `maxWaiting` tasks already run or wait.
 */
export type SerialRunner = <T>(
  key: string,
  task: () => Promise<T>,
) => Promise<{ result: T } | undefined>;

export function createSerialRunner(maxWaiting: number): SerialRunner {
  const queues = new Map<string, { lastRun: Promise<unknown>; pendingCount: number }>();
  return async (key, task) => {
    const queue = queues.get(key) ?? { lastRun: Promise.resolve(), pendingCount: 0 };
    if (queue.pendingCount >= maxWaiting) return undefined;
    queues.set(key, queue);
    queue.pendingCount += 1;
    const run = queue.lastRun.then(task);
    queue.lastRun = run.catch(() => {});
    try {
      return { result: await run };
    } finally {
      queue.pendingCount -= 1;
      if (queue.pendingCount === 0) queues.delete(key);
    }
  };
}
