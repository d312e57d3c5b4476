// Refuses callers without a right.
import { AsyncLocalStorage } from 'node:async_hooks';
import type { Right } from '../../rights.ts';
import { AppError } from '../errors.ts';

/**
 * The part of a caller that matters for rights. Work of the product itself has no caller and may do
 * everything.
 */
export type RightsHolder = { rights?: ReadonlySet<Right> | undefined };

/**
 * Checks a right that depends on a call's input or on its object's state. Any other right is named
 * in the contract of the call, and the server checks it before the call.
 * @throws missing_right
 */
export function requireRight({ rights }: RightsHolder, right: Right): void {
  if (rights && !rights.has(right)) throw new AppError('missing_right', { extra: { right } });
}

const running = new AsyncLocalStorage<RightsHolder>();

/** Runs a call, so that `callerLacks` and `requireCallerRight` find its caller at any depth. */
export const runAsCaller = <T>(caller: RightsHolder | undefined, work: () => T): T =>
  caller ? running.run(caller, work) : work();

export const callerLacks = (right: Right): boolean =>
  running.getStore()?.rights?.has(right) === false;

/**
 * Refuses the running call if its caller lacks the right; the product's own work has all rights.
 * @throws missing_right
 */
export function requireCallerRight(right: Right): void {
  requireRight(running.getStore() ?? {}, right);
}
