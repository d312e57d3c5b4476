// Statistics of the benchmarks, and their output.

export function percentile(figures: readonly number[], share: number): number {
  const sorted = figures.toSorted((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? 0;
}

export const median = (figures: readonly number[]) => percentile(figures, 0.5);

/**
 * The range in which the median of all such figures is with 95 % confidence, regardless of their
 * distribution: the number of figures below it is binomial.
 */
export function medianInterval(figures: readonly number[]): [low: number, high: number] {
  const sorted = figures.toSorted((a, b) => a - b);
  const last = sorted.length - 1;
  const reach = 0.98 * Math.sqrt(sorted.length);
  const low = Math.max(0, Math.floor(last / 2 - reach));
  return [sorted[low] ?? 0, sorted[last - low] ?? 0];
}

/** Returns the duration in milliseconds. */
export async function measureDuration(work: () => Promise<unknown>): Promise<number> {
  const started = performance.now();
  await work();
  return performance.now() - started;
}

export const ms = (value: number) => value.toFixed(1).padStart(8);
