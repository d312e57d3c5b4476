// Delivers to many receivers concurrently and fairly: the receiver served least recently is next,
// the number of concurrent receivers per account is limited, and a slow receiver delays only
// itself.
import { setTimeout as sleep } from 'node:timers/promises';
import { log } from '#platform/server/log.ts';

/** Names a webhook endpoint, or a workflow step that calls a URL. */
export type Receiver = { account_id: number; id: number };

const MAX_CONCURRENT_RECEIVERS = 64;
/** Limited, so that an account with fifty slow endpoints leaves capacity for other accounts. */
const MAX_RECEIVERS_PER_ACCOUNT = 16;
/** Interval of the search for receivers that became due while others are busy. */
const POLL_MS = 500;

type DeliveryWork = {
  /** Returns receivers with due deliveries. */
  listDueReceivers: () => Promise<Receiver[]>;
  /** Delivers to one receiver for one turn; its remaining deliveries wait for its next turn. */
  deliver: (receiver: Receiver) => Promise<void>;
};

/** Delivers until no receiver has due deliveries, or until the signal aborts. */
export async function deliverFairly(
  { listDueReceivers, deliver }: DeliveryWork,
  signal?: AbortSignal,
): Promise<void> {
  const busy = new Map<string, { accountId: number; delivery: Promise<void> }>();
  /** Number of each receiver's last turn. */
  const lastTurns = new Map<string, number>();
  let turnCount = 0;
  while (!signal?.aborted) {
    const isFull = busy.size >= MAX_CONCURRENT_RECEIVERS;
    const dueReceivers = isFull
      ? []
      : (await listDueReceivers()).filter((receiver) => !busy.has(getReceiverKey(receiver)));
    dueReceivers.sort(
      (a, b) => (lastTurns.get(getReceiverKey(a)) ?? 0) - (lastTurns.get(getReceiverKey(b)) ?? 0),
    );
    for (const receiver of dueReceivers) {
      if (busy.size >= MAX_CONCURRENT_RECEIVERS) break;
      if (countBusy(busy, receiver.account_id) >= MAX_RECEIVERS_PER_ACCOUNT) continue;
      const name = getReceiverKey(receiver);
      turnCount += 1;
      lastTurns.set(name, turnCount);
      const delivery = deliver(receiver)
        .catch((error: Error) =>
          log.error('Could not deliver to a webhook receiver', {
            ...{ account: receiver.account_id, receiver: receiver.id, error },
          }),
        )
        .finally(() => busy.delete(name));
      busy.set(name, { accountId: receiver.account_id, delivery });
    }
    if (busy.size === 0) return;
    const deliveries = [...busy.values()].map(({ delivery }) => delivery);
    await Promise.race([...deliveries, sleep(POLL_MS, undefined, { ref: false })]);
  }
  await Promise.all([...busy.values()].map(({ delivery }) => delivery));
}

const getReceiverKey = ({ account_id, id }: Receiver) => `${account_id} ${id}`;

function countBusy(busy: ReadonlyMap<string, { accountId: number }>, accountId: number): number {
  let count = 0;
  for (const delivery of busy.values()) if (delivery.accountId === accountId) count += 1;
  return count;
}
