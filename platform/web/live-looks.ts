// Hints as looks: several hints a second come while something runs, and each look is one call or more.
import { useCallback, useEffect, useRef } from 'react';
import { useLive } from './live.ts';
import { touch } from './queries.ts';

/** From the beginning of one look to that of the next. */
export const LEAST_MS = 2_000;

/** Asks again for everything below the path when the topic changed: `useLiveTouch('group', LIST)`. */
export function useLiveTouch(topic: string, path: string): void {
  const look = useLook(() => touch(path));
  useLive(topic, look);
}

/**
 * A function that looks at once, then each two seconds at most, and never while the look before waits for its answers:
 * asking anew would cancel these, and over a slow line none would ever come. What is asked for last is looked at.
 */
export function useLook(look: () => Promise<unknown>): () => void {
  const latest = useRef(look);
  latest.current = look;
  const state = useRef({ begun: Number.NEGATIVE_INFINITY, isUnderWay: false, isWanted: false });
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined);
  const begin = useCallback(() => {
    const now = state.current;
    timer.current = undefined;
    now.begun = performance.now();
    now.isUnderWay = true;
    now.isWanted = false;
    void latest.current().finally(() => {
      now.isUnderWay = false;
      if (now.isWanted) plan();
    });
  }, []);
  const plan = useCallback(() => {
    const now = state.current;
    now.isWanted = true;
    if (now.isUnderWay) return;
    const restMs = Math.max(0, now.begun + LEAST_MS - performance.now());
    timer.current ??= setTimeout(begin, restMs);
  }, [begin]);
  useEffect(() => {
    // Development mounts twice: the state of the first mounting must not hold up the second.
    const now = state.current;
    now.isUnderWay = false;
    return () => {
      clearTimeout(timer.current);
      timer.current = undefined;
      now.isWanted = false;
    };
  }, []);
  return plan;
}
