// Replaces a relay that cannot be opened or does not exist: it sends nothing, and messages
// show that they wait and why.
import type { HandoffResult, RelayConnection } from './provider.ts';

/** This wait never ends: the relay stays closed until changed settings open another one. */
const RETRY_MS = 3_600_000;

export function closedRelay(result: HandoffResult): () => RelayConnection {
  const statistics = { connections: 0, inFlight: 0, acceptedPerSecond: 0, allowedPerSecond: 0 };
  return () => ({
    name: 'none that could be opened',
    capacity: 1,
    state: () => ({ kind: 'waiting', retryInMs: RETRY_MS, result }),
    getStatistics: () => statistics,
    wake: () => undefined,
    close: async () => undefined,
  });
}
