// Places of an account for its pictures, and one picture after the other, the accounts in turn: unpacked, each takes some hundred
// megabytes and every thread that passwords and files wait for, too, and a file of some KB may become one.
import { FairTurns } from '#platform/server/fair-turns.ts';
import { Places } from '#platform/server/places.ts';

/** Of one account so many are read, worked on or wait, in each process; the library sends one after the other. */
const MOST_WAITING = 4;

const places = new Places(MOST_WAITING);
const turns = new FairTurns({ atOnce: 1, perKey: 1, maxWaiting: MOST_WAITING });

/**
 * Holds a place of the account's, asked for before a picture is read, so that no more of its pictures are in memory.
 * @throws AppError too_many_requests where this account has enough that wait; then nothing is read
 */
export function inPlace<T>(accountId: number, work: () => Promise<T>): Promise<T> {
  return places.hold(accountId, work);
}

/** Works on a picture that is read: a slow store or line holds no turn, and an account waits for one picture of each other. */
export function inTurn<T>(accountId: number, work: () => Promise<T>): Promise<T> {
  return turns.run(accountId, work);
}
