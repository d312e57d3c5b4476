// What waits is woken by a raise, or by one that came before it waited.
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { Signal } from './signal.ts';

beforeEach(() => {
  vi.useFakeTimers();
});
afterEach(() => {
  vi.useRealTimers();
});

/** After how many milliseconds of 1,000 a wait ends, and whether it was raised. */
async function waited(signal: Signal): Promise<[number, boolean]> {
  const from = Date.now();
  const ended = signal
    .wait(1_000)
    .then((isRaised): [number, boolean] => [Date.now() - from, isRaised]);
  await vi.advanceTimersByTimeAsync(1_000);
  return ended;
}

test('raises before a wait end it at once, and only that one', async () => {
  const signal = new Signal();
  signal.raise();
  signal.raise();
  expect(await waited(signal)).toEqual([0, true]);
  expect(await waited(signal)).toEqual([1_000, false]);
});

test('a raise ends the wait that goes on, and those that follow it none', async () => {
  const signal = new Signal();
  setTimeout(() => {
    signal.raise();
    signal.raise();
  }, 2);
  expect(await waited(signal)).toEqual([2, true]);
  expect(await waited(signal)).toEqual([1_000, false]);
});
