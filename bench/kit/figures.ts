// Computes and formats the statistics of the benchmarks.

export function percentile(values: readonly number[], fraction: number): number {
  const sortedValues = values.toSorted((a, b) => a - b);
  return (
    sortedValues[Math.min(sortedValues.length - 1, Math.floor(sortedValues.length * fraction))] ?? 0
  );
}

export const median = (values: readonly number[]) => percentile(values, 0.5);

/**
 * Returns the range that contains the true median with 95% confidence. This holds for any
 * distribution of the values, because the number of values below the median is binomial.
 */
export function medianInterval(values: readonly number[]): [low: number, high: number] {
  const sortedValues = values.toSorted((a, b) => a - b);
  const lastIndex = sortedValues.length - 1;
  const reach = 0.98 * Math.sqrt(sortedValues.length);
  const lowIndex = Math.max(0, Math.floor(lastIndex / 2 - reach));
  return [sortedValues[lowIndex] ?? 0, sortedValues[lastIndex - lowIndex] ?? 0];
}

/** Returns the duration in milliseconds. */
export async function measureDuration(work: () => Promise<unknown>): Promise<number> {
  const startedAt = performance.now();
  await work();
  return performance.now() - startedAt;
}

export const ms = (value: number) => value.toFixed(1).padStart(8);
