// Places of an account for its pictures, and one picture after the other: unpacked, each takes some hundred
// megabytes and every thread that passwords and files wait for, too, and a file of some KB may become one.
import { Places } from '#platform/server/places.ts';

/** Of one account so many are read, worked on or wait, in each process; the library sends one after the other. */
const MOST_WAITING = 4;

const places = new Places(MOST_WAITING);
let last: Promise<unknown> = Promise.resolve();

/**
 * Holds a place of the account's, asked for before a picture is read, so that no more of its pictures are in memory.
 * @throws AppError too_many_requests where this account has enough that wait; then nothing is read
 */
export function inPlace<T>(accountId: number, work: () => Promise<T>): Promise<T> {
  return places.hold(accountId, work);
}

/** Works on a picture that is read: a store or a line that is slow holds nobody else's turn. */
export async function inTurn<T>(work: () => Promise<T>): Promise<T> {
  const turn = last.then(work);
  last = turn.catch(() => undefined);
  return await turn;
}
