// Fair concurrent delivery to many receivers: the least recently served one goes first, the number
// of concurrent receivers per account is limited, and a slow receiver delays only itself.
import { setTimeout as sleep } from 'node:timers/promises';
import { log } from '#platform/server/log.ts';

/** A receiver: an endpoint, or a step of a workflow. */
export type Receiver = { account_id: number; id: number };

/**
 * Concurrent receivers in total and per account, so that an account with fifty slow endpoints
 * leaves capacity for other accounts.
 */
const MAX_CONCURRENT_RECEIVERS = 64;
const MAX_RECEIVERS_PER_ACCOUNT = 16;
const POLL_MS = 500;

type Work = {
  /** Returns receivers with something due. */
  waiting: () => Promise<Receiver[]>;
  /** Delivers a slice to one receiver. */
  deliver: (receiver: Receiver) => Promise<void>;
};

/** Delivers until no receiver has anything due. */
export async function inTurn({ waiting, deliver }: Work, signal?: AbortSignal): Promise<void> {
  const busy = new Map<string, { accountId: number; delivery: Promise<void> }>();
  /** Number of the turn in which each receiver was last served. */
  const lastDeliveries = new Map<string, number>();
  let turn = 0;
  while (!signal?.aborted) {
    const isFull = busy.size >= MAX_CONCURRENT_RECEIVERS;
    const due = isFull ? [] : (await waiting()).filter((receiver) => !busy.has(nameOf(receiver)));
    due.sort((a, b) => (lastDeliveries.get(nameOf(a)) ?? 0) - (lastDeliveries.get(nameOf(b)) ?? 0));
    for (const receiver of due) {
      if (busy.size >= MAX_CONCURRENT_RECEIVERS) break;
      if (countBusy(busy, receiver.account_id) >= MAX_RECEIVERS_PER_ACCOUNT) continue;
      const name = nameOf(receiver);
      turn += 1;
      lastDeliveries.set(name, turn);
      const delivery = deliver(receiver)
        .catch((error: Error) =>
          log.error('Could not deliver to a webhook receiver', { ...receiver, error }),
        )
        .finally(() => busy.delete(name));
      busy.set(name, { accountId: receiver.account_id, delivery });
    }
    if (busy.size === 0) return;
    const all = [...busy.values()].map(({ delivery }) => delivery);
    await Promise.race([...all, sleep(POLL_MS, undefined, { ref: false })]);
  }
  await Promise.all([...busy.values()].map(({ delivery }) => delivery));
}

const nameOf = ({ account_id, id }: Receiver) => `${account_id} ${id}`;

function countBusy(busy: ReadonlyMap<string, { accountId: number }>, accountId: number): number {
  let count = 0;
  for (const endpoint of busy.values()) if (endpoint.accountId === accountId) count += 1;
  return count;
}
