// Derives the state of a pool from those of its relays: the relays in use, and the wait if none is
// usable.
import type { PoolMember } from './pool-member.ts';
import { type BaseHandoff, type RelayState, type WaitingState, waitOf } from './provider.ts';

/**
 * Relays of the best priority. A relay on trial gets single sends, and counts only if there is no
 * other; reserves for urgent email are used if no relay has anything else.
 */
export function usedNow<H extends BaseHandoff>(members: readonly PoolMember<H>[]): PoolMember<H>[] {
  const able = members.filter((member) => member.isUsable);
  const reserveOnly = members.filter((member) => member.isOnlyKept);
  const [usable = []] = [provenOf(able), able, provenOf(reserveOnly), reserveOnly].filter(
    (some) => some.length > 0,
  );
  const best = Math.min(...usable.map((member) => member.priority));
  return usable.filter((member) => member.priority === best);
}

function provenOf<H extends BaseHandoff>(members: readonly PoolMember<H>[]): PoolMember<H>[] {
  return members.filter((member) => !member.isOnTrial);
}

/** The state of the best relay; if all wait, until the first recovers. */
export function stateOfAll(states: readonly RelayState[]): RelayState {
  const usable = states.filter((state) => waitOf(state) === undefined);
  const proven = usable.find((state) => state.is === 'ready' && !state.isUnproven);
  const best = proven ?? usable[0];
  if (best) return best;
  const first = firstBack(states);
  const ready = states.filter((state) => state.is === 'ready');
  if (first && ready.length > 0) {
    const isUnproven = ready.every((state) => state.isUnproven);
    return { is: 'ready', othersWait: first, ...(isUnproven ? { isUnproven } : {}) };
  }
  return first ?? (states[0] as RelayState);
}

/** State of the first relay that recovers automatically, for non-urgent email. */
export function firstBack(states: readonly RelayState[]): WaitingState | undefined {
  const waits = states.map(waitOf).filter((wait) => wait?.is === 'waiting');
  return waits.toSorted((a, b) => a.retryInMs - b.retryInMs)[0];
}
