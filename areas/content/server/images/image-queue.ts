// Processes one image at a time, with accounts in turn, and limits the queue per account. Decoding
// can take hundreds of megabytes and all the threads that password hashing and file access need,
// even for a file of a few KB.
import { FairTurns } from '#platform/server/work/fair-turns.ts';
import { AccountSlots } from '#platform/server/account-slots.ts';

/**
 * Maximum images per account in each process that are read, processed or waiting; the library's
 * screen uploads one at a time.
 */
const MAX_WAITING = 4;

const slots = new AccountSlots(MAX_WAITING);
const turns = new FairTurns({ maxConcurrent: 1, maxPerKey: 1, maxWaiting: MAX_WAITING });

/**
 * Reserves one of the account's slots before an image is read, which bounds memory. @throws
 * AppError too_many_requests if all are in use; nothing is read then
 */
export function withReservedSlot<T>(accountId: number, work: () => Promise<T>): Promise<T> {
  return slots.runInSlot(accountId, work);
}

/**
 * Processes an image that is already read, so slow storage or connections block no turn. Before
 * each of its images, an account waits for at most one image of every other account.
 */
export function runInTurn<T>(accountId: number, work: () => Promise<T>): Promise<T> {
  return turns.run(accountId, work);
}
