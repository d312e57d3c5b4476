// Hints as looks: several hints a second come while something runs, and each look is one call or more.
import { useEffect, useState } from 'react';
import { useLive } from './live.ts';
import { touch } from './queries.ts';

/** From the beginning of one look to that of the next. */
export const LEAST_MS = 2_000;

/** Asks again for everything below the path when the topic changed: `useLiveTouch('group', LIST)`. */
export function useLiveTouch(topic: string, path: string): void {
  useLive(
    topic,
    useLook(() => touch(path)),
  );
}

/**
 * A function that looks at once, then each two seconds at most, and never while the look before waits for its answers:
 * asking anew would cancel these, and over a slow line none would ever come. What is asked for last is looked at.
 */
export function useLook(look: () => Promise<unknown>): () => void {
  const [looks] = useState(() => new Looks());
  useEffect(() => looks.are(look), [looks, look]);
  useEffect(() => () => looks.rest(), [looks]);
  return looks.ask;
}

class Looks {
  private look: () => Promise<unknown> = async () => undefined;
  private begunAt = Number.NEGATIVE_INFINITY;
  private isUnderWay = false;
  private isWanted = false;
  private timer: ReturnType<typeof setTimeout> | undefined;

  are(look: () => Promise<unknown>): void {
    this.look = look;
  }

  readonly ask = (): void => {
    this.isWanted = true;
    if (this.isUnderWay) return;
    const restMs = Math.max(0, this.begunAt + LEAST_MS - performance.now());
    this.timer ??= setTimeout(() => void this.begin(), restMs);
  };

  /** Its screen is gone. */
  rest(): void {
    clearTimeout(this.timer);
    this.timer = undefined;
    this.isWanted = false;
  }

  private async begin(): Promise<void> {
    this.timer = undefined;
    this.begunAt = performance.now();
    this.isUnderWay = true;
    this.isWanted = false;
    try {
      await this.look();
    } finally {
      this.isUnderWay = false;
      if (this.isWanted) this.ask();
    }
  }
}
