// @vitest-environment jsdom
// Hints cause a refetch immediately, then at intervals, never concurrently, and always once after
// the last hint.
import { renderHook } from '@testing-library/react';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { MIN_MS, useRefetch } from './live-queries.ts';

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

/** Renders a refetch with a response that takes the given time. */
function renderRefetch(responseMs: number) {
  const counts = { started: 0, answered: 0, peak: 0 };
  const { result, unmount } = renderHook(() =>
    useRefetch(async () => {
      counts.started++;
      counts.peak = Math.max(counts.peak, counts.started - counts.answered);
      await new Promise((resolve) => setTimeout(resolve, responseMs));
      counts.answered++;
    }),
  );
  return { counts, hint: () => result.current(), unmount };
}

async function hints(hint: () => void, seconds: number): Promise<void> {
  for (let i = 0; i < seconds * 4; i++) {
    hint();
    await vi.advanceTimersByTimeAsync(250);
  }
}

it('refetches immediately on the first hint, then every two seconds while hints arrive', async () => {
  const { counts, hint } = renderRefetch(20);
  hint();
  await vi.advanceTimersByTimeAsync(1);
  expect(counts.started).toBe(1);
  await hints(hint, 20);
  expect(counts.started).toBeGreaterThanOrEqual(10);
  expect(counts.started).toBeLessThanOrEqual(11);
});

it('waits for responses slower than the pause and refetches once more after the last hint', async () => {
  const { counts, hint } = renderRefetch(MIN_MS * 1.5);
  await hints(hint, 12);
  await vi.advanceTimersByTimeAsync(MIN_MS * 4);
  expect(counts.peak).toBe(1);
  expect(counts.answered).toBe(counts.started);
  expect(counts.started).toBeGreaterThanOrEqual(4);
  const { started } = counts;
  hint();
  await vi.advanceTimersByTimeAsync(1);
  expect(counts.started).toBe(started + 1);
});

it('an unmounted screen does not refetch', async () => {
  const { counts, hint, unmount } = renderRefetch(20);
  await hints(hint, 1);
  unmount();
  await vi.advanceTimersByTimeAsync(MIN_MS * 2);
  expect(counts.started).toBe(1);
});
