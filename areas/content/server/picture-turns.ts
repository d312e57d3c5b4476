// One picture after the other: unpacked, each takes some hundred megabytes and every thread that passwords
// and files wait for, too, and a file of some KB may become one.
import { Places } from '#platform/server/places.ts';

/** Of one account so many are read, worked on or wait, in each process; the library sends one after the other. */
const MOST_WAITING = 4;

const places = new Places(MOST_WAITING);
let last: Promise<unknown> = Promise.resolve();

/**
 * Reads a picture, then works on it when it is its turn. Whoever reads has a place of the account's already, so
 * that no more of its pictures are in memory, but not the turn: a store that answers slowly holds nobody else's.
 * @throws AppError too_many_requests where this account has enough that wait; then nothing is read
 */
export async function inTurn<T>(
  accountId: number,
  read: () => Promise<Buffer>,
  work: (bytes: Buffer) => Promise<T>,
): Promise<T> {
  return places.hold(accountId, async () => {
    const bytes = await read();
    const turn = last.then(() => work(bytes));
    last = turn.catch(() => undefined);
    return await turn;
  });
}
