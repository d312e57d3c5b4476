// Rate at which a count grows while it is displayed.
import { useEffect, useState } from 'react';

/** Window of the rate in milliseconds, between two measurements that are far enough apart. */
const WINDOW_MS = 30_000;
const LEAST_MS = 2_500;
const AGAIN_MS = 5_000;

type Look = { at: number; count: number };

/** Per minute, as of an instant; 0 until known. */
export function useRate(count: number): { perMinute: number; at: number } {
  const [looks, setLooks] = useState<Look[]>([]);
  useEffect(() => {
    const look = () => {
      const at = Date.now();
      setLooks((earlier) => [...earlier.filter((one) => one.at > at - WINDOW_MS), { at, count }]);
    };
    look();
    // A constant count is measured, too, so that its rate drops.
    const timer = setInterval(look, AGAIN_MS);
    return () => clearInterval(timer);
  }, [count]);
  const first = looks[0];
  const last = looks.at(-1);
  if (!first || !last || last.at - first.at < LEAST_MS) return { perMinute: 0, at: 0 };
  return { perMinute: ((last.count - first.count) / (last.at - first.at)) * 60_000, at: last.at };
}
