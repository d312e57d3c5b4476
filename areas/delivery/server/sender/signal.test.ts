// Signals: a wait ends at the next raise, or immediately if one came before it.
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { WakeSignal } from './signal.ts';

beforeEach(() => {
  vi.useFakeTimers();
});
afterEach(() => {
  vi.useRealTimers();
});

/** Returns how many milliseconds a wait of at most 1,000 took, and whether a raise ended it. */
async function waitTime(signal: WakeSignal): Promise<[number, boolean]> {
  const startedAt = Date.now();
  const waiting = signal
    .wait(1_000)
    .then((isRaised): [number, boolean] => [Date.now() - startedAt, isRaised]);
  await vi.advanceTimersByTimeAsync(1_000);
  return waiting;
}

test('multiple signals before a wait end only that wait', async () => {
  const signal = new WakeSignal();
  signal.raise();
  signal.raise();
  expect(await waitTime(signal)).toEqual([0, true]);
  expect(await waitTime(signal)).toEqual([1_000, false]);
});

test('a signal ends the current wait, but no later wait', async () => {
  const signal = new WakeSignal();
  setTimeout(() => {
    signal.raise();
    signal.raise();
  }, 2);
  expect(await waitTime(signal)).toEqual([2, true]);
  expect(await waitTime(signal)).toEqual([1_000, false]);
});
