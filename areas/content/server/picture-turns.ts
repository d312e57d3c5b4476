// One picture after the other: unpacked, each takes some hundred megabytes and every thread that passwords
// and files wait for, too, and a file of some KB may become one.
import { AppError } from '#platform/server/errors.ts';

/** Of one account so many are worked on or wait, in each process; the library sends one after the other. */
const MOST_WAITING = 4;

const waiting = new Map<number, number>();
let last: Promise<unknown> = Promise.resolve();

/** When it is its turn. @throws AppError too_many_requests where this account has enough that wait */
export async function inTurn<T>(accountId: number, work: () => Promise<T>): Promise<T> {
  const before = waiting.get(accountId) ?? 0;
  if (before >= MOST_WAITING) throw new AppError('too_many_requests', { retryAfter: 5 });
  waiting.set(accountId, before + 1);
  const turn = last.then(work);
  last = turn.catch(() => undefined);
  try {
    return await turn;
  } finally {
    const left = (waiting.get(accountId) ?? 1) - 1;
    if (left === 0) waiting.delete(accountId);
    else waiting.set(accountId, left);
  }
}
