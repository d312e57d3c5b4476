// How a pool is doing by how its relays are: which of them are used just now, and what waits for all of them.
import type { PoolMember } from './pool-member.ts';
import { type BaseHandOver, type RelayState, type WaitingState, waitOf } from './provider.ts';

/**
 * Those of the best priority. One on trial gets single mails, and is relied on where there is no other; what is
 * kept of limits for urgent mails is used where nobody has anything else.
 */
export function usedNow<H extends BaseHandOver>(
  members: readonly PoolMember<H>[],
): PoolMember<H>[] {
  const able = members.filter((member) => member.isUsable);
  const kept = members.filter((member) => member.isOnlyKept);
  const [usable = []] = [provenOf(able), able, provenOf(kept), kept].filter(
    (some) => some.length > 0,
  );
  const best = Math.min(...usable.map((member) => member.priority));
  return usable.filter((member) => member.priority === best);
}

function provenOf<H extends BaseHandOver>(members: readonly PoolMember<H>[]): PoolMember<H>[] {
  return members.filter((member) => !member.isOnTrial);
}

/** As good as the best of them; where all wait, until the first of them need not. */
export function stateOfAll(states: readonly RelayState[]): RelayState {
  const usable = states.filter((state) => waitOf(state) === undefined);
  const proven = usable.find((state) => state.is === 'ready' && !state.isUnproven);
  const best = proven ?? usable[0];
  if (best) return best;
  const first = firstBack(states);
  const kept = states.filter((state) => state.is === 'ready');
  if (first && kept.length > 0) {
    const isUnproven = kept.every((state) => state.isUnproven);
    return { is: 'ready', othersWait: first, ...(isUnproven ? { isUnproven } : {}) };
  }
  return first ?? (states[0] as RelayState);
}

/** How the first of those is that come back by themselves, for what is not urgent. */
export function firstBack(states: readonly RelayState[]): WaitingState | undefined {
  const waits = states.map(waitOf).filter((wait) => wait?.is === 'waiting');
  return waits.toSorted((a, b) => a.retryInMs - b.retryInMs)[0];
}
