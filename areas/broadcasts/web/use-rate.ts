// How fast a count grows while it is watched.
import { useEffect, useState } from 'react';

/** Rates are told over the last this many milliseconds, from two looks that are far enough apart. */
const WINDOW_MS = 30_000;
const LEAST_MS = 2_500;
const AGAIN_MS = 5_000;

type Look = { at: number; count: number };

/** Per minute, as of an instant; 0 until it is known. */
export function useRate(count: number): { perMinute: number; at: number } {
  const [looks, setLooks] = useState<Look[]>([]);
  useEffect(() => {
    const look = () => {
      const at = Date.now();
      setLooks((earlier) => [...earlier.filter((one) => one.at > at - WINDOW_MS), { at, count }]);
    };
    look();
    // What stands still has looks as well, and gets slower.
    const timer = setInterval(look, AGAIN_MS);
    return () => clearInterval(timer);
  }, [count]);
  const first = looks[0];
  const last = looks.at(-1);
  if (!first || !last || last.at - first.at < LEAST_MS) return { perMinute: 0, at: 0 };
  return { perMinute: ((last.count - first.count) / (last.at - first.at)) * 60_000, at: last.at };
}
