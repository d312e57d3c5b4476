// Refetches data after the server has announced a change (live.ts), at most every two seconds: during
// activity, several announcements arrive per second, and each refetch costs one call or more.
import { useEffect, useState } from 'react';
import { useLive } from './live.ts';
import { invalidate } from './queries.ts';

/** Minimum time between the starts of two refetches. */
export const MIN_MS = 2_000;

/**
 * Refetches everything below the path when the topic changes:
 * `useLiveInvalidation('group', LIST_PATH)`.
 */
export function useLiveInvalidation(topic: string, path: string): void {
  useLive(
    topic,
    useRefetch(() => invalidate(path)),
  );
}

/**
 * Returns a function that refetches immediately, then at most every two seconds, and never while a
 * refetch is running: restarting would cancel it, and on a slow connection none would ever finish.
 * If it is called too early or while a refetch is running, it refetches once more afterwards, unless
 * the screen has been unmounted by then.
 */
export function useRefetch(refetch: () => Promise<unknown>): () => void {
  const [refetcher] = useState(() => new Refetcher());
  useEffect(() => refetcher.setRefetch(refetch), [refetcher, refetch]);
  useEffect(() => () => refetcher.stop(), [refetcher]);
  return refetcher.request;
}

class Refetcher {
  private refetch: () => Promise<unknown> = async () => undefined;
  private startedAt = Number.NEGATIVE_INFINITY;
  private isRunning = false;
  private isRequested = false;
  private timer: ReturnType<typeof setTimeout> | undefined;

  setRefetch(refetch: () => Promise<unknown>): void {
    this.refetch = refetch;
  }

  readonly request = (): void => {
    this.isRequested = true;
    if (this.isRunning) return;
    const waitMs = Math.max(0, this.startedAt + MIN_MS - performance.now());
    this.timer ??= setTimeout(() => void this.run(), waitMs);
  };

  /** Called when the screen is unmounted. */
  stop(): void {
    clearTimeout(this.timer);
    this.timer = undefined;
    this.isRequested = false;
  }

  private async run(): Promise<void> {
    this.timer = undefined;
    this.startedAt = performance.now();
    this.isRunning = true;
    this.isRequested = false;
    try {
      await this.refetch();
    } finally {
      this.isRunning = false;
      if (this.isRequested) this.request();
    }
  }
}
