// Signals: a wait ends at the next raise, or immediately if one came before it.
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { Signal } from './signal.ts';

beforeEach(() => {
  vi.useFakeTimers();
});
afterEach(() => {
  vi.useRealTimers();
});

/** Returns how many milliseconds a wait of at most 1,000 took, and whether a raise ended it. */
async function waited(signal: Signal): Promise<[number, boolean]> {
  const from = Date.now();
  const ended = signal
    .wait(1_000)
    .then((isRaised): [number, boolean] => [Date.now() - from, isRaised]);
  await vi.advanceTimersByTimeAsync(1_000);
  return ended;
}

test('several raises before a wait end only that wait', async () => {
  const signal = new Signal();
  signal.raise();
  signal.raise();
  expect(await waited(signal)).toEqual([0, true]);
  expect(await waited(signal)).toEqual([1_000, false]);
});

test('a raise ends the current wait, and no later one', async () => {
  const signal = new Signal();
  setTimeout(() => {
    signal.raise();
    signal.raise();
  }, 2);
  expect(await waited(signal)).toEqual([2, true]);
  expect(await waited(signal)).toEqual([1_000, false]);
});
