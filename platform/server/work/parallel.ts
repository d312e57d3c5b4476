// Runs pieces of work on a few workers, each after its dependencies.

export type ParallelTask = {
  /** Names of pieces that must finish first. */
  dependsOn?: readonly string[];
  name: string;
};

/**
 * Runs all pieces with limited concurrency, in order as far as their dependencies allow. Several
 * pieces may share a name; a dependency on it waits for all of them. After a failure no new piece
 * starts, and the error is thrown once the running pieces have ended.
 */
export async function runParallel<P extends ParallelTask>(
  tasks: readonly P[],
  concurrency: number,
  run: (task: P, worker: number) => Promise<void>,
): Promise<void> {
  const waiting = [...tasks];
  const unfinishedCounts = new Map<string, number>();
  for (const { name } of tasks) unfinishedCounts.set(name, (unfinishedCounts.get(name) ?? 0) + 1);
  const isReady = ({ dependsOn = [] }: P) => dependsOn.every((name) => !unfinishedCounts.get(name));
  let failure: { error: unknown } | undefined;
  let wake: (() => void)[] = [];
  const worker = async (_: unknown, number: number) => {
    while (waiting.length > 0 && !failure) {
      const at = waiting.findIndex(isReady);
      if (at < 0) {
        await new Promise<void>((settle) => wake.push(settle));
        continue;
      }
      const [task] = waiting.splice(at, 1) as [P];
      try {
        await run(task, number);
      } catch (error) {
        failure ??= { error };
      }
      unfinishedCounts.set(task.name, (unfinishedCounts.get(task.name) ?? 1) - 1);
      for (const go of wake) go();
      wake = [];
    }
  };
  await Promise.all(Array.from({ length: concurrency }, worker));
  if (failure) throw failure.error;
}
