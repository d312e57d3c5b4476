// Calculates when the emails to an audience will be sent, by a simulation in slots of five minutes
// that applies the limits of relays, mailbox providers, autopilot and warm-up. Pure functions.
import { computeReserve } from '../../relay-limits.ts';
import {
  type AllowanceState,
  computeUsage,
  type RateLimits,
  computeCurrentRate,
  SLOT_MS,
} from '../relays/allowance.ts';

/**
 * Causes that can delay a campaign. `speed` is not a limit, but the account's sending speed so far.
 * `timing` means the sending times that the user chose.
 */
export type PaceLimit = 'relay' | 'provider' | 'autopilot' | 'warm_up' | 'speed' | 'timing';

/** The limits of a relay or mailbox provider and their use so far. */
export type RateLimited = { limits: RateLimits; state: AllowanceState };
export type PacedRelay = RateLimited & {
  /** Mailbox providers that have limits or requested a lower rate. */
  providers: ReadonlyMap<number, RateLimited>;
};

/**
 * `startedAt` is the time of the first email of the plan's current day; null before the first day.
 */
type WarmUpPlan = {
  caps: readonly number[];
  day: number;
  startedAt: number | null;
  used: number;
};

export type Pace = {
  relays: readonly PacedRelay[];
  /** Limits of the autopilot by mailbox provider, across all relays. */
  caps?: ReadonlyMap<number, RateLimited>;
  warmUp?: WarmUpPlan | undefined;
  /** Emails per second sent in the past; undefined if none were sent. */
  perSecond?: number | undefined;
  /**
   * Start of each wave and its fraction of the recipients, in order; without waves, all start at
   * once.
   */
  waves?: readonly { at: number; fraction: number }[] | undefined;
};

/**
 * Emails sent within a slot. If no limit per second or minute applies (`isPaced` is false), they
 * are sent at unknown instants between `from` and `to`.
 */
export type SentSlot = { from: number; to: number; count: number; isPaced: boolean };

type ProviderReplay = {
  sent: readonly SentSlot[];
  /** The limit that this provider's emails waited for in most slots. */
  limit: PaceLimit;
  /** Whether all of the provider's emails are sent within 30 days. */
  isDone: boolean;
};

/** `doneAt` is undefined if sending takes more than 30 days. */
export type ReplayResult = {
  doneAt: number | undefined;
  limit: PaceLimit;
  /**
   * Whether the speed was the tightest limit in a slot; otherwise a higher speed changes nothing.
   */
  isSpeedTight: boolean;
  providers: ReadonlyMap<number, ProviderReplay>;
};

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;
const MAX_DAYS = 30;
const SLOT_SECONDS = SLOT_MS / 1_000;

/**
 * Simulates sending until all recipients are sent to, for at most 30 days. Returns undefined if
 * nothing limits the speed, no past speed is known, and no wave opens later.
 * @param recipientCounts number of recipients by mailbox provider
 */
export function replaySending(
  recipientCounts: ReadonlyMap<number, number>,
  startsAt: number,
  pace: Pace,
): ReplayResult | undefined {
  const meters: Meters = {
    relays: pace.relays.map((relay) => new Meter(relay)),
    caps: allowancesOf(pace.caps),
    warmUp: pace.warmUp && new WarmUpMeter(pace.warmUp),
    perSlot: (pace.perSecond ?? Number.POSITIVE_INFINITY) * SLOT_SECONDS,
  };
  const arrivals = new Arrivals(recipientCounts, pace.waves ?? [{ at: startsAt, fraction: 1 }]);
  const record = new Recording(recipientCounts);
  const waiting = new Map<number, number>();
  let speedLeft = 0;
  for (let now = startsAt; now < startsAt + MAX_DAYS * DAY_MS; now += SLOT_MS) {
    arrivals.addTo(waiting, now);
    speedLeft += meters.perSlot;
    const capacities = capacitiesOf(waiting, meters, speedLeft, now);
    const total = sumOf(waiting);
    const tightest = tightestOf(capacities);
    if (capacities[tightest] === Infinity && now === startsAt && !arrivals.isPending)
      return undefined;
    const waitingBefore = new Map(waiting);
    const sentCounts = sendSlot(waiting, meters, Math.min(total, capacities[tightest]), now);
    meters.warmUp?.use(sentCounts, now);
    speedLeft = Math.min(speedLeft - sentCounts, meters.perSlot);
    if (sentCounts < total) record.recordWait(tightest);
    else if (arrivals.isPending) record.recordWait('timing');
    record.recordSlot(now, waitingBefore, waiting, { meters, sent: sentCounts, tightest });
    if (waiting.size === 0 && !arrivals.isPending) return record.toResult(now + SLOT_MS, tightest);
  }
  return record.toResult(undefined, 'relay');
}

type Capacities = Record<Exclude<PaceLimit, 'timing'>, number>;

type Meters = {
  relays: readonly Meter[];
  caps: Allowances;
  warmUp: WarmUpMeter | undefined;
  /** Emails in one slot at the speed of the past. */
  perSlot: number;
};

/** Returns the number of emails that each limit allows in this slot. */
function capacitiesOf(
  waiting: ReadonlyMap<number, number>,
  { relays, caps, warmUp }: Meters,
  speedLeft: number,
  now: number,
): Capacities {
  return {
    relay: relays.reduce(
      (total, relay) => total + relay.capacity(now),
      relays.length > 0 ? 0 : Infinity,
    ),
    provider: providerCapacity(waiting, relays, now),
    autopilot: autopilotCapacity(waiting, caps, now),
    warm_up: warmUp?.capacity(now) ?? Infinity,
    speed: Math.floor(speedLeft),
  };
}

/** Adds recipients to those waiting as their waves open. */
class Arrivals {
  private readonly recipientCounts: ReadonlyMap<number, number>;
  private readonly waves: readonly { at: number; fraction: number }[];
  private next = 0;
  private openedFraction = 0;

  constructor(
    recipientCounts: ReadonlyMap<number, number>,
    waves: readonly { at: number; fraction: number }[],
  ) {
    this.recipientCounts = recipientCounts;
    this.waves = waves;
  }

  get isPending(): boolean {
    return this.next < this.waves.length;
  }

  addTo(waiting: Map<number, number>, now: number): void {
    const fractionBefore = this.openedFraction;
    for (let wave = this.waves[this.next]; wave && wave.at <= now; wave = this.waves[this.next]) {
      this.next += 1;
      this.openedFraction = this.isPending ? this.openedFraction + wave.fraction : 1;
    }
    if (this.openedFraction === fractionBefore) return;
    for (const [mailbox, count] of this.recipientCounts) {
      const addedCount =
        Math.round(count * this.openedFraction) - Math.round(count * fractionBefore);
      if (addedCount > 0) waiting.set(mailbox, (waiting.get(mailbox) ?? 0) + addedCount);
    }
  }
}

/**
 * Records the emails sent to each mailbox provider during the simulation, and the causes of delays.
 */
class Recording {
  private readonly providers: ReadonlyMap<
    number,
    { sent: SentSlot[]; remaining: number; waitCounts: Map<PaceLimit, number> }
  >;
  private readonly waitCounts = new Map<PaceLimit, number>();
  private isSpeedTight = false;

  constructor(recipientCounts: ReadonlyMap<number, number>) {
    const nonEmpty = [...recipientCounts].filter(([, count]) => count > 0);
    this.providers = new Map(
      nonEmpty.map(([mailbox, count]) => [
        mailbox,
        { sent: [], remaining: count, waitCounts: new Map() },
      ]),
    );
  }

  recordWait(limit: PaceLimit): void {
    addOne(this.waitCounts, limit);
  }

  recordSlot(
    now: number,
    waitingBefore: ReadonlyMap<number, number>,
    waiting: ReadonlyMap<number, number>,
    slot: { meters: Meters; sent: number; tightest: PaceLimit },
  ): void {
    if (slot.tightest === 'speed') this.isSpeedTight = true;
    for (const [mailbox, provider] of this.providers) {
      if (provider.remaining === 0) continue;
      const remainingCount = waiting.get(mailbox) ?? 0;
      const count = (waitingBefore.get(mailbox) ?? 0) - remainingCount;
      provider.remaining -= count;
      if (count > 0) {
        const usedFraction = computeUsedFraction(slot.meters, {
          mailbox,
          count,
          sent: slot.sent,
          now,
        });
        const slotEnd = now + SLOT_MS * (usedFraction > 0 ? Math.min(1, usedFraction) : 1);
        provider.sent.push({ from: now, to: slotEnd, count, isPaced: usedFraction > 0 });
      }
      if (remainingCount > 0) addOne(provider.waitCounts, limitAt(mailbox, slot, now));
      else if (provider.remaining > 0) addOne(provider.waitCounts, 'timing');
    }
  }

  toResult(doneAt: number | undefined, fallback: PaceLimit): ReplayResult {
    const limit = longestDelay(this.waitCounts) ?? fallback;
    const providers = [...this.providers].map(([mailbox, { sent, remaining, waitCounts }]) => {
      return [
        mailbox,
        { sent, isDone: remaining === 0, limit: longestDelay(waitCounts) ?? limit },
      ] as const;
    });
    return { doneAt, limit, isSpeedTight: this.isSpeedTight, providers: new Map(providers) };
  }
}

const addOne = (waits: Map<PaceLimit, number>, limit: PaceLimit) =>
  waits.set(limit, (waits.get(limit) ?? 0) + 1);

/**
 * Returns the limit that a provider's emails wait for: the autopilot's or the provider's own if
 * that is used up, otherwise the tightest limit of the slot.
 */
function limitAt(
  mailbox: number,
  { meters: { relays, caps }, tightest }: { meters: Meters; tightest: PaceLimit },
  now: number,
): PaceLimit {
  if ((caps.get(mailbox)?.capacity(now) ?? Infinity) < 1) return 'autopilot';
  const isFull = (relay: Meter) => relay.providerCapacity(mailbox, now) < 1;
  return relays.length > 0 && relays.every(isFull) ? 'provider' : tightest;
}

/**
 * Returns the fraction of the slot that these emails take at the limits per second and minute; 0 if
 * there are none.
 */
function computeUsedFraction(
  { relays, perSlot }: Meters,
  { mailbox, count, sent, now }: { mailbox: number; count: number; sent: number; now: number },
): number {
  const sumOver = (valueOf: (relay: Meter) => number) =>
    relays.reduce((total, relay) => total + valueOf(relay), relays.length > 0 ? 0 : Infinity);
  return Math.max(
    sent / perSlot,
    sent / sumOver((relay) => relay.perSlot(now)),
    count / sumOver((relay) => relay.providerPerSlot(mailbox, now)),
  );
}

const sumOf = (waiting: ReadonlyMap<number, number>) =>
  [...waiting.values()].reduce((total, count) => total + count, 0);

const tightestOf = (capacities: Capacities): keyof Capacities =>
  (Object.keys(capacities) as (keyof Capacities)[]).reduce((a, b) =>
    capacities[b] < capacities[a] ? b : a,
  );

/** Returns the limit that caused a delay in the most slots. */
const longestDelay = (waits: ReadonlyMap<PaceLimit, number>): PaceLimit | undefined =>
  [...waits].sort(([, a], [, b]) => b - a)[0]?.[0];

/** Returns how many waiting emails their providers' limits allow now. */
function providerCapacity(
  waiting: ReadonlyMap<number, number>,
  relays: readonly Meter[],
  now: number,
): number {
  if (relays.length === 0) return Infinity;
  return capacityWithin(waiting, (mailbox) =>
    relays.reduce((total, relay) => total + relay.providerCapacity(mailbox, now), 0),
  );
}

const autopilotCapacity = (waiting: ReadonlyMap<number, number>, caps: Allowances, now: number) =>
  capacityWithin(waiting, (mailbox) => caps.get(mailbox)?.capacity(now) ?? Infinity);

/**
 * Returns how many waiting emails these capacities allow; infinite if every provider has capacity
 * for all of its recipients.
 */
function capacityWithin(
  waiting: ReadonlyMap<number, number>,
  capacityOf: (mailbox: number) => number,
): number {
  let capacity = 0;
  let isLimited = false;
  for (const [mailbox, count] of waiting) {
    const limit = capacityOf(mailbox);
    if (limit < count) isLimited = true;
    capacity += Math.min(limit, count);
  }
  return isLimited ? capacity : Infinity;
}

/**
 * Sends up to `max` emails in this slot. The first round sends the same fraction of each provider's
 * emails. Returns how many were sent.
 */
function sendSlot(
  waiting: Map<number, number>,
  { relays, caps }: Meters,
  max: number,
  now: number,
): number {
  const total = sumOf(waiting);
  let remaining = max;
  // A second round gives the other providers the capacity that limited providers could not use.
  for (const fraction of [max / Math.max(1, total), 1]) {
    for (const [mailbox, count] of waiting) {
      const cap = caps.get(mailbox);
      let wantedCount = Math.min(
        remaining,
        Math.ceil(count * fraction),
        cap?.capacity(now) ?? Infinity,
      );
      if (relays.length === 0) {
        const takenCount = removeWaiting(waiting, mailbox, wantedCount);
        cap?.use(takenCount, now);
        remaining -= takenCount;
      }
      for (const relay of relays) {
        const capacity = Math.min(relay.capacity(now), relay.providerCapacity(mailbox, now));
        const takenCount = removeWaiting(waiting, mailbox, Math.min(wantedCount, capacity));
        relay.use(mailbox, takenCount, now);
        cap?.use(takenCount, now);
        wantedCount -= takenCount;
        remaining -= takenCount;
      }
    }
  }
  return max - remaining;
}

function removeWaiting(waiting: Map<number, number>, mailbox: number, count: number): number {
  const waitingCount = waiting.get(mailbox) ?? 0;
  const takenCount = Math.max(0, Math.min(waitingCount, count));
  if (takenCount === waitingCount) waiting.delete(mailbox);
  else waiting.set(mailbox, waitingCount - takenCount);
  return takenCount;
}

/** Capacity of one limit during the simulation. */
class Allowance {
  private readonly limits: RateLimits;
  private readonly state: AllowanceState;
  private readonly slots: [number, number][];
  private credit = 0;
  /** Number of emails that may still be sent in the slot that begins at `at`. */
  private remaining = 0;
  private at = Number.NEGATIVE_INFINITY;

  constructor({ limits, state }: RateLimited) {
    this.limits = limits;
    this.state = state;
    this.slots = (state.slots ?? []).map(([slot, used]) => [slot, used]);
  }

  capacity(now: number): number {
    if (now > this.at) {
      this.at = now;
      // The fraction of an email is carried over to the next slot; whole unused emails are not.
      this.credit =
        computeCurrentRate(this.state, this.limits, now) * SLOT_SECONDS + (this.credit % 1 || 0);
      this.remaining = Math.floor(Math.min(this.credit, this.remainingQuota(now)));
    }
    return this.remaining;
  }

  /** Emails per slot by the rate, regardless of quotas. */
  perSlot(now: number): number {
    return computeCurrentRate(this.state, this.limits, now) * SLOT_SECONDS;
  }

  private remainingQuota(now: number): number {
    const windows = [
      [this.limits.perHour, HOUR_MS],
      [this.limits.perDay, DAY_MS],
    ] as const;
    return windows.reduce((least, [limit, window]) => {
      if (!limit) return least;
      const usable = limit - computeReserve(limit);
      const { used } = computeUsage(this.slots, window, usable, now);
      return Math.min(least, Math.max(0, usable - used));
    }, Infinity);
  }

  use(count: number, now: number): void {
    if (count === 0) return;
    this.credit -= count;
    this.remaining -= count;
    const slot = Math.floor(now / SLOT_MS);
    const lastSlot = this.slots.at(-1);
    if (lastSlot && lastSlot[0] >= slot) lastSlot[1] += count;
    else this.slots.push([slot, count]);
    const oldest = Math.floor((now - DAY_MS) / SLOT_MS);
    while ((this.slots[0]?.[0] ?? oldest) < oldest) this.slots.shift();
  }
}

type Allowances = ReadonlyMap<number, Allowance>;

const allowancesOf = (paced: ReadonlyMap<number, RateLimited> = new Map()): Allowances =>
  new Map([...paced].map(([mailbox, limit]) => [mailbox, new Allowance(limit)]));

class Meter {
  private readonly relayAllowance: Allowance;
  private readonly providers: Allowances;

  constructor(relay: PacedRelay) {
    this.relayAllowance = new Allowance(relay);
    this.providers = allowancesOf(relay.providers);
  }

  capacity(now: number): number {
    return this.relayAllowance.capacity(now);
  }

  providerCapacity(mailbox: number, now: number): number {
    return this.providers.get(mailbox)?.capacity(now) ?? Infinity;
  }

  perSlot(now: number): number {
    return this.relayAllowance.perSlot(now);
  }

  providerPerSlot(mailbox: number, now: number): number {
    return this.providers.get(mailbox)?.perSlot(now) ?? Infinity;
  }

  use(mailbox: number, count: number, now: number): void {
    this.relayAllowance.use(count, now);
    this.providers.get(mailbox)?.use(count, now);
  }
}

class WarmUpMeter {
  private readonly plan: WarmUpPlan;
  private day: number;
  private startedAt: number | null;
  private used: number;

  constructor(plan: WarmUpPlan) {
    this.plan = plan;
    ({ day: this.day, startedAt: this.startedAt, used: this.used } = plan);
  }

  private isOver(now: number): boolean {
    return this.startedAt === null || now - this.startedAt >= DAY_MS;
  }

  /** Returns how many emails the plan allows now; infinite after its last day. */
  capacity(now: number): number {
    const isOver = this.isOver(now);
    const cap = this.plan.caps[this.day - (isOver ? 0 : 1)] ?? Infinity;
    return Math.max(0, cap - (isOver ? 0 : this.used));
  }

  use(count: number, now: number): void {
    if (count === 0) return;
    if (this.isOver(now)) {
      this.day += 1;
      this.startedAt = now;
      this.used = 0;
    }
    this.used += count;
  }
}
