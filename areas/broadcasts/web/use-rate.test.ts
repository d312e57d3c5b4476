// @vitest-environment jsdom
// The rate of sending while it runs and after it stops.
import { act, renderHook } from '@testing-library/react';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { useRate } from './use-rate.ts';

beforeEach(() => {
  vi.useFakeTimers();
});
afterEach(() => {
  vi.useRealTimers();
});

it('the rate is given per minute and is zero a minute after the last increase', () => {
  const { result, rerender } = renderHook(({ count }) => useRate(count), {
    initialProps: { count: 0 },
  });
  act(() => void vi.advanceTimersByTime(3000));
  rerender({ count: 150 });
  expect(result.current.perMinute).toBeCloseTo(3000);
  act(() => void vi.advanceTimersByTime(60_000));
  expect(result.current.perMinute).toBe(0);
});
