// Stands for an account's own relays where none of them can be opened: nothing leaves, and what is to be sent
// says that it waits, and why.
import type { Answer, OpenRelay } from './provider.ts';

/** Looked at again once its settings change. */
const RETRY_MS = 3_600_000;

export function closedRelay(answer: Answer): OpenRelay {
  const figures = { connections: 0, underWay: 0, acceptedPerSecond: 0, allowedPerSecond: 0 };
  return () => ({
    name: 'none that could be opened',
    capacity: 1,
    state: () => ({ is: 'waiting', retryInMs: RETRY_MS, answer }),
    figures: () => figures,
    wake: () => undefined,
    close: async () => undefined,
  });
}
