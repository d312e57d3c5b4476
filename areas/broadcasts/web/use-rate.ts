// The rate at which a count grows while it is displayed.
import { useEffect, useState } from 'react';

/**
 * Window over which the rate is measured, and minimum distance of two measurements, in
 * milliseconds.
 */
const WINDOW_MS = 30_000;
const MIN_MS = 2_500;
const AGAIN_MS = 5_000;

type RateSample = { at: number; count: number };

/** Rate per minute as of an instant; 0 until it is known. */
export function useRate(count: number): { perMinute: number; at: number } {
  const [samples, setSamples] = useState<RateSample[]>([]);
  useEffect(() => {
    const sample = () => {
      const at = Date.now();
      setSamples((earlier) => [
        ...earlier.filter((look) => look.at > at - WINDOW_MS),
        { at, count },
      ]);
    };
    sample();
    // A constant count is measured, too, so that its rate drops.
    const timer = setInterval(sample, AGAIN_MS);
    return () => clearInterval(timer);
  }, [count]);
  const first = samples[0];
  const last = samples.at(-1);
  if (!first || !last || last.at - first.at < MIN_MS) return { perMinute: 0, at: 0 };
  return { perMinute: ((last.count - first.count) / (last.at - first.at)) * 60_000, at: last.at };
}
