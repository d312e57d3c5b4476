// Calculates the capacity of a relay, or of one mailbox provider behind it: an even rate (per
// second, per minute), hourly and daily quotas, and rates learned from refusals. The functions are
// pure: they map a state and an instant to a new state. Limits per second and minute use a token
// bucket, so that email is sent evenly. Hours and days count sends in slots of five minutes, so
// that a quota may be used in one burst and is never exceeded in any window. The last part of a
// quota is reserved for urgent email, so that a campaign never delays a password reset.

import { computeReserve } from '../../relay-limits.ts';

export type RateLimits = {
  readonly perSecond?: number | null;
  readonly perMinute?: number | null;
  readonly perHour?: number | null;
  readonly perDay?: number | null;
};

/** Number of a five-minute slot since 1970, and the sends in it. */
type UsageSlot = readonly [number, number];

/** Stored as JSON. Times are milliseconds since 1970. */
export type AllowanceState = {
  /** Number of sends that were allowed without a wait at the time `at`. */
  credit: number;
  at: number;
  /**
   * Rate per second learned from the refusal at `cutAt`; see `findLearnedRate`. It is forgotten
   * when it has grown to `forgetAbove`.
   */
  learnt?: { rate: number; cutAt: number; forgetAbove: number };
  /** Sends by slot, oldest first; stored if there is an hourly or daily limit. */
  slots?: [number, number][];
};

export const SLOT_MS = 300_000;
const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;
/** At least one send in two minutes; otherwise the rate could never recover. */
const MIN_RATE = 1 / 120;
/**
 * Minimum rate per second assumed at a first refusal, because a refusal at a low rate reveals
 * little about the limit.
 */
const MIN_REFUSED = 20;
/** Refusals within this time count once because their messages were in flight together. */
const RATE_CUT_COOLDOWN_MS = 1_000;
/** A learned rate holds for this time, then grows by a tenth each minute. */
const QUIET_MS = 60_000;
const MORE_PER_MINUTE = 1.1;
/**
 * A learned rate is forgotten once it reaches this multiple of the rate before the first refusal.
 */
const FORGET_ABOVE = 4;
/** Maximum burst, as the number of sends in this many seconds. */
const BURST_SECONDS = 0.1;

export function createState(now: number): AllowanceState {
  return { credit: 1, at: now };
}

export function isLimited(limits: RateLimits): boolean {
  return Boolean(limits.perSecond ?? limits.perMinute ?? limits.perHour ?? limits.perDay);
}

/** Returns whether a part of a quota is reserved for urgent email. */
export function hasReserve({ perHour, perDay }: RateLimits): boolean {
  return computeReserve(perHour ?? 0) + computeReserve(perDay ?? 0) > 0;
}

/**
 * Returns the rate per second and the maximum burst that respect the limits per second and minute.
 */
function paceOf(state: AllowanceState, limits: RateLimits, now: number) {
  let rate = findLearnedRate(state, now);
  let burst = rate === Number.POSITIVE_INFINITY ? rate : Math.max(1, rate * BURST_SECONDS);
  for (const [limit, seconds] of [
    [limits.perSecond, 1],
    [limits.perMinute, 60],
  ] as const) {
    if (!limit) continue;
    const burstSize = Math.max(1, Math.floor((limit / seconds) * BURST_SECONDS));
    burst = Math.min(burst, burstSize);
    rate = Math.min(rate, (limit - burstSize + 1) / seconds);
  }
  return { rate, burst };
}

/**
 * Returns the learned rate as it has grown since; Infinity if none was learned or it has been
 * forgotten.
 */
export function findLearnedRate({ learnt }: AllowanceState, now: number): number {
  if (!learnt) return Number.POSITIVE_INFINITY;
  const minutes = Math.max(0, now - learnt.cutAt - QUIET_MS) / 60_000;
  const rate = learnt.rate * MORE_PER_MINUTE ** minutes;
  return rate >= learnt.forgetAbove ? Number.POSITIVE_INFINITY : rate;
}

/** Returns how many messages may be sent per second now, regardless of quotas. */
export function computeCurrentRate(state: AllowanceState, limits: RateLimits, now: number): number {
  return paceOf(state, limits, now).rate;
}

export type Acquisition = {
  state: AllowanceState;
  granted: number;
  /** Time until the next send; 0 if one is possible now. */
  waitMs: number;
  /** Whether an hourly or daily limit is used up. */
  isQuota: boolean;
};

/** Draws up to `want` sends. The reserve of hourly and daily limits is only for urgent email. */
export function acquireFrom(
  previousState: AllowanceState,
  limits: RateLimits,
  want: number,
  now: number,
  isUrgent = false,
): Acquisition {
  const { rate, burst } = paceOf(previousState, limits, now);
  const seconds = Math.max(0, now - previousState.at) / 1_000;
  const isPaced = rate !== Number.POSITIVE_INFINITY;
  const credit = isPaced ? Math.min(burst, previousState.credit + seconds * rate) : 1;
  const slots = isQuota(limits) ? recentSlots(previousState.slots ?? [], now) : undefined;
  const quotaOf = () =>
    slots
      ? remainingIn(slots, limits, now, isUrgent)
      : { remaining: Number.POSITIVE_INFINITY, waitMs: 0 };
  const available = Math.min(isPaced ? Math.floor(credit) : want, quotaOf().remaining);
  const grantedCount = Math.max(0, Math.min(want, available));
  if (slots && grantedCount > 0) addTo(slots, grantedCount, now);
  const creditLeft = isPaced ? credit - grantedCount : 1;
  const paceWait = isPaced && creditLeft < 1 ? Math.ceil(((1 - creditLeft) * 1_000) / rate) : 0;
  const state: AllowanceState = { credit: creditLeft, at: Math.max(now, previousState.at) };
  if (slots) state.slots = slots;
  if (
    previousState.learnt &&
    isPaced &&
    findLearnedRate(previousState, now) !== Number.POSITIVE_INFINITY
  ) {
    state.learnt = previousState.learnt;
  }
  const quota = quotaOf();
  const waitMs = Math.max(paceWait, quota.waitMs);
  return { state, granted: grantedCount, waitMs, isQuota: quota.remaining === 0 };
}

/** Number of sends that were drawn and counted in a slot, but not used. */
export type UnusedCapacity = readonly [slot: number, count: number];

/** Subtracts unused sends from their slots. The rate needs no return: it recovers with time. */
export function returnUnused(
  previousState: AllowanceState,
  unusedCapacity: readonly UnusedCapacity[],
): AllowanceState {
  if (!previousState.slots || unusedCapacity.length === 0) return previousState;
  const slots = previousState.slots.map(([slot, used]): [number, number] => {
    const returnedCapacity = unusedCapacity.filter(([drawnIn]) => drawnIn === slot);
    return [slot, returnedCapacity.reduce((remaining, [, count]) => remaining - count, used)];
  });
  return { ...previousState, slots: slots.filter(([, used]) => used > 0) };
}

/**
 * Learns from a refusal that requests a lower rate: half of the recent rate
 * (`currentRatePerSecond`), or of the rate learned before.
 */
export function lowerRate(
  previousState: AllowanceState,
  limits: RateLimits,
  currentRatePerSecond: number,
  now: number,
): AllowanceState {
  if (previousState.learnt && now - previousState.learnt.cutAt < RATE_CUT_COOLDOWN_MS)
    return previousState;
  const allowedRate = computeCurrentRate(previousState, limits, now);
  const learnedBefore =
    findLearnedRate(previousState, now) === Number.POSITIVE_INFINITY
      ? undefined
      : previousState.learnt;
  const rateBefore = learnedBefore
    ? allowedRate
    : Math.min(allowedRate, Math.max(currentRatePerSecond, MIN_REFUSED));
  return {
    ...previousState,
    credit: 0,
    at: Math.max(now, previousState.at),
    learnt: {
      rate: Math.max(MIN_RATE, rateBefore / 2),
      cutAt: now,
      forgetAbove: learnedBefore ? learnedBefore.forgetAbove : rateBefore * FORGET_ABOVE,
    },
  };
}

const isQuota = (limits: RateLimits) => Boolean(limits.perHour ?? limits.perDay);

function recentSlots(slots: readonly UsageSlot[], now: number): [number, number][] {
  const oldest = Math.floor((now - DAY_MS) / SLOT_MS);
  return slots.filter(([slot]) => slot >= oldest).map(([slot, used]) => [slot, used]);
}

function addTo(slots: [number, number][], count: number, now: number): void {
  const slot = Math.floor(now / SLOT_MS);
  const lastSlot = slots.at(-1);
  if (lastSlot && lastSlot[0] >= slot) lastSlot[1] += count;
  else slots.push([slot, count]);
}

/**
 * Returns the remaining sends of the hourly and daily quotas and the time until used-up ones
 * recover.
 */
function remainingIn(
  slots: readonly UsageSlot[],
  { perHour, perDay }: RateLimits,
  now: number,
  isUrgent: boolean,
) {
  let remaining = Number.POSITIVE_INFINITY;
  let waitMs = 0;
  for (const [limit, window] of [
    [perHour, HOUR_MS],
    [perDay, DAY_MS],
  ] as const) {
    if (!limit) continue;
    const usable = isUrgent ? limit : limit - computeReserve(limit);
    const { used, moreAt } = computeUsage(slots, window, usable, now);
    remaining = Math.min(remaining, Math.max(0, usable - used));
    if (moreAt !== undefined) waitMs = Math.max(waitMs, moreAt - now);
  }
  return { remaining, waitMs };
}

/**
 * Returns the number of sends within a window, and when it will drop below `limit` (undefined if it
 * is below already).
 */
export function computeUsage(
  slots: readonly UsageSlot[],
  window: number,
  limit: number,
  now: number,
) {
  const oldest = Math.floor((now - window) / SLOT_MS);
  const slotsInWindow = slots.filter(([slot]) => slot >= oldest);
  const usedCount = slotsInWindow.reduce((total, [, count]) => total + count, 0);
  let remaining = usedCount;
  let moreAt: number | undefined;
  for (const [slot, count] of slotsInWindow) {
    if (remaining < limit) break;
    remaining -= count;
    moreAt = (slot + 1) * SLOT_MS + window;
  }
  return { used: usedCount, moreAt };
}
