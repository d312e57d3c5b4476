// Derives from the states of a pool's relays which of them are in use, and the state of the pool.
import type { PoolMember } from './pool-member.ts';
import { type BaseHandoff, type RelayState, type WaitingState, describeWait } from './provider.ts';

/**
 * Returns the usable relays with the best priority. Relays on trial are used only if no other relay
 * is usable, and relays that have nothing but their reserve only if no relay has more.
 */
export function listUsedNow<H extends BaseHandoff>(
  members: readonly PoolMember<H>[],
): PoolMember<H>[] {
  const able = members.filter((member) => member.isUsable);
  const reserveOnly = members.filter((member) => member.hasOnlyReserve);
  const [usable = []] = [provenOf(able), able, provenOf(reserveOnly), reserveOnly].filter(
    (candidates) => candidates.length > 0,
  );
  const bestPriority = Math.min(...usable.map((member) => member.priority));
  return usable.filter((member) => member.priority === bestPriority);
}

function provenOf<H extends BaseHandoff>(members: readonly PoolMember<H>[]): PoolMember<H>[] {
  return members.filter((member) => !member.isOnTrial);
}

/**
 * Returns the state of a usable relay, if there is one; otherwise the wait until the first one
 * recovers. If a relay still has its reserve, this wait is the `othersWait` of a ready state.
 */
export function combineStates(states: readonly RelayState[]): RelayState {
  const usable = states.filter((state) => describeWait(state) === undefined);
  const proven = usable.find((state) => state.kind === 'ready' && !state.isUnproven);
  const bestState = proven ?? usable[0];
  if (bestState) return bestState;
  const firstReady = findFirstBack(states);
  const ready = states.filter((state) => state.kind === 'ready');
  if (firstReady && ready.length > 0) {
    const isUnproven = ready.every((state) => state.isUnproven);
    return { kind: 'ready', othersWait: firstReady, ...(isUnproven ? { isUnproven } : {}) };
  }
  return firstReady ?? (states[0] as RelayState);
}

/**
 * Returns the wait of the relay that will be usable first, for handoffs that may not use a reserve;
 * undefined if no relay waits.
 */
export function findFirstBack(states: readonly RelayState[]): WaitingState | undefined {
  const waits = states.map(describeWait).filter((wait) => wait?.kind === 'waiting');
  return waits.toSorted((a, b) => a.retryInMs - b.retryInMs)[0];
}
