// Stands for relays where none can be opened, or where there are none: nothing leaves, and what is to be sent says
// that it waits, and why.
import type { Answer, Relay } from './provider.ts';

/** Looked at again once its settings change. */
const RETRY_MS = 3_600_000;

export function closedRelay(answer: Answer): () => Relay {
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
