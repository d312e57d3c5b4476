// Calculates when a campaign is done: replays its limits at the speeds that it may have, and adds
// the retries of deferred emails. The functions are pure.
// docs/decisions/0162-campaign-completion-time.md has the formulas.
import {
  type PaceLimit,
  replay,
  type Replayed,
  type SendPace,
  type Sent,
} from '#areas/delivery/server/ledger/index.ts';
import { createSeededRandom } from '#areas/experiments/server/index.ts';
import { DONE_SHARE } from '../../forecast-shared.ts';
import { drawNormal, intervalOf, studentDraws } from './draws.ts';
import { longerThan, maxWaitMs, type RetryModel, drawnShare, drawnStretch } from './retries.ts';
import { speedsOf } from './speed.ts';

/** A campaign is done when no more than this share of its emails is without a final result. */
const OPEN_SHARE = 1 - DONE_SHARE;
/** The number of draws: 30 for each of ten speeds, or all for a single replay. */
const DRAWS = 300;
const SECOND_MS = 1_000;
const MINUTE_MS = 60_000;
/** The replay has no smaller unit, so intervals are widened to whole units. */
const UNIT_MS = 5 * MINUTE_MS;
/** Bisection stops at this precision, or at this share of the longest possible time. */
const PRECISION_MS = 30_000;
const PRECISION_SHARE = 1 / 4_000;
/**
 * A provider's emails are merged into parts, which end at these shares of them. The last parts
 * decide, so they are small.
 */
const CUTS = [0.3, 0.6, 0.8, 0.9, 0.95, 0.98, 0.985, 0.99, 0.995, 1];

/** Times are infinite if sending alone takes more than 30 days. */
export type DoneTimes = { low: number; mid: number; high: number; limit: PaceLimit };
export type Done = DoneTimes & {
  /** In at least nine of ten cases, the last retry ends before this time. */
  last: number;
  providers: ReadonlyMap<number, DoneTimes>;
};

export type DoneInput = Pick<SendPace, 'pace' | 'quarters'> & {
  /** The number of recipients by mailbox provider. */
  people: ReadonlyMap<number, number>;
  startsAt: number;
  /** The retries by mailbox provider, one model for each key of `people`. */
  retries: ReadonlyMap<number, RetryModel>;
};

/**
 * Emails of a provider that are sent between two instants, and their share of the provider's
 * emails. The emails may be sent up to `loose` milliseconds before `to`.
 */
type Part = { from: number; to: number; loose: number; share: number };
type Plan = { parts: readonly Part[]; end: number };

/** The uncertain values of one draw, apart from the speed. */
type Retried = { share: number; stretch: number; within: number };
/** The assumptions of one draw about a provider. `weight` is its share of the counted emails. */
type Assumed = { plan: Plan; retried: Retried; longer: readonly number[]; weight: number };

export type DoneOptions = {
  seed: number;
  /** Widens or narrows the intervals according to the results of the account's past forecasts. */
  scale?: number | undefined;
  /**
   * If false, the forecast ignores the randomness of single emails, which matters in small
   * campaigns.
   */
  hasChance?: boolean;
};

/** Returns the times; undefined if nothing limits the speed and no past speed is known. */
export function forecastDone(input: DoneInput, options: DoneOptions): Done | undefined {
  const { quarters, pace, startsAt } = input;
  const people = new Map([...input.people].filter(([, count]) => count > 0));
  const total = [...people.values()].reduce((sum, count) => sum + count, 0);
  const replays = replaysOf(people, { pace, startsAt }, speedsOf(quarters, total, options));
  const usual = replays[Math.floor(replays.length / 2)];
  if (!usual) return undefined;
  const campaign = new Campaign({ ...input, people }, replays, options);
  const providers = [...people].map(([mailbox, count]) => {
    const ends = campaign.ends([mailbox], count);
    return [mailbox, timesOf(ends, limitOf(usual, mailbox), startsAt)] as const;
  });
  const all = [...people.keys()];
  return {
    ...timesOf(campaign.ends(all, total), usual.limit, startsAt),
    last: roundUp(intervalOf(campaign.lastEnds(all, total)).high),
    providers: new Map(providers),
  };
}

/**
 * Returns one replay for each speed, or a single one if no speed is known or the other limits alone
 * decide.
 */
function replaysOf(
  people: ReadonlyMap<number, number>,
  { pace, startsAt }: Pick<DoneInput, 'pace' | 'startsAt'>,
  [slowest, ...faster]: readonly number[],
): Replayed[] {
  const at = (perSecond: number | undefined) => replay(people, startsAt, { ...pace, perSecond });
  const first = at(slowest);
  if (!first?.isSpeedTight) return first ? [first] : [];
  return [first, ...faster.flatMap((perSecond) => at(perSecond) ?? [])];
}

const limitOf = (replayed: Replayed, mailbox: number) =>
  replayed.providers.get(mailbox)?.limit ?? replayed.limit;

const roundUp = (instant: number) => Math.ceil(instant / UNIT_MS) * UNIT_MS;

function timesOf(ends: Float64Array, limit: PaceLimit, startsAt: number): DoneTimes {
  const { low, mid, high } = intervalOf(ends);
  return {
    low: Math.max(startsAt, Math.floor(low / UNIT_MS) * UNIT_MS),
    mid: Math.max(startsAt, Math.round(mid / MINUTE_MS) * MINUTE_MS),
    high: roundUp(high),
    limit,
  };
}

/** The draws of one campaign. */
class Campaign {
  private readonly startsAt: number;
  private readonly plans: readonly ReadonlyMap<number, Plan>[];
  private readonly people: ReadonlyMap<number, number>;
  private readonly retries: ReadonlyMap<number, RetryModel>;
  private readonly drawn: ReadonlyMap<number, readonly Retried[]>;
  private readonly chances: Float64Array;

  constructor(
    { startsAt, people, retries }: DoneInput,
    replays: readonly Replayed[],
    { seed, scale = 1, hasChance = true }: DoneOptions,
  ) {
    this.startsAt = startsAt;
    this.people = people;
    this.retries = retries;
    this.plans = replays.map(plansOf);
    this.drawn = new Map(
      [...retries].map(([mailbox, model]) => [mailbox, drawRetries(model, seed + mailbox, scale)]),
    );
    const random = createSeededRandom(seed ^ 0x3c6ef372);
    this.chances = Float64Array.from(
      { length: DRAWS },
      () => drawNormal(random) * Number(hasChance),
    );
  }

  /** The instants at which these providers are done, by draw. */
  ends(mailboxes: readonly number[], people: number): Float64Array {
    return this.endsAt(mailboxes, people, (chance) => openShare(people, chance));
  }

  /** The instants of the last final result, by draw. */
  lastEnds(mailboxes: readonly number[], people: number): Float64Array {
    return this.endsAt(mailboxes, people, (chance) => openOf(1, chance) / people);
  }

  private endsAt(
    mailboxes: readonly number[],
    people: number,
    openAt: (chance: number) => number,
  ): Float64Array {
    return this.chances.map((chance, draw) => {
      const assumed = mailboxes.flatMap((mailbox) => this.assumed(mailbox, draw, people));
      return endOf(assumed, this.startsAt, openAt(chance));
    });
  }

  private assumed(mailbox: number, draw: number, people: number): Assumed[] {
    const plan = this.plans[draw % this.plans.length]?.get(mailbox);
    const retried = this.drawn.get(mailbox)?.[draw];
    const longer = this.retries.get(mailbox)?.longer;
    if (!plan || !retried || !longer) return [];
    return [{ plan, retried, longer, weight: (this.people.get(mailbox) ?? 0) / people }];
  }
}

function drawRetries(model: RetryModel, seed: number, scale: number): Retried[] {
  const shares = studentDraws(seed ^ 0x1b873593, model.share.freedom, DRAWS);
  const stretches = studentDraws(seed ^ 0x85ebca6b, model.stretch.freedom, DRAWS);
  const random = createSeededRandom(seed ^ 0xc2b2ae35);
  return Array.from({ length: DRAWS }, (_, draw) => ({
    share: drawnShare(model, shares[draw] ?? 0, scale),
    stretch: drawnStretch(model, stretches[draw] ?? 0, scale),
    within: random(),
  }));
}

/**
 * The quantile of the expected number of open emails at the instant at which all but `k` − 1 are
 * final, from a gamma distribution (Wilson and Hilferty 1931).
 */
const openOf = (k: number, chance: number) =>
  k * Math.max(0.05, 1 - 1 / (9 * k) + chance / (3 * Math.sqrt(k))) ** 3;

/** The expected share of open emails at the instant at which the campaign is done. */
function openShare(people: number, chance: number): number {
  const k = Math.max(1, people * OPEN_SHARE + 0.5);
  return Math.min(1, openOf(k, chance) / people);
}

function plansOf({ providers }: Replayed): Map<number, Plan> {
  const plans = [...providers].map(([mailbox, { sent, isDone }]) => {
    const end = isDone ? (sent.at(-1)?.to ?? 0) : Infinity;
    return [mailbox, { parts: merged(sent), end }] as const;
  });
  return new Map(plans);
}

/** Merges the emails of a provider into at most as many parts as there are cuts. */
function merged(sent: readonly Sent[]): Part[] {
  const total = sent.reduce((sum, { count }) => sum + count, 0);
  const parts: Part[] = [];
  let before = 0;
  let cut = -1;
  for (const { from, to, count, isPaced } of sent) {
    const next = CUTS.findIndex((share) => before + count / 2 <= share * total);
    const loose = isPaced ? 0 : to - from;
    const last = parts.at(-1);
    if (last && next === cut) Object.assign(last, { to, loose, share: last.share + count / total });
    else parts.push({ from, to, loose, share: count / total });
    cut = next;
    before += count;
  }
  return parts;
}

/** Finds the instant from which at most this share of the emails is open, by bisection. */
function endOf(assumed: readonly Assumed[], startsAt: number, open: number): number {
  const end = assumed.reduce((last, { plan }) => Math.max(last, plan.end), startsAt);
  if (end === Infinity) return Infinity;
  let low = startsAt;
  let high = end + maxWaitMs(1);
  const precision = Math.max(PRECISION_MS, (high - low) * PRECISION_SHARE);
  while (high - low > precision) {
    const middle = (low + high) / 2;
    if (isDoneAt(assumed, middle, open)) high = middle;
    else low = middle;
  }
  return (low + high) / 2;
}

function isDoneAt(assumed: readonly Assumed[], at: number, open: number): boolean {
  let unsent = 0;
  let waiting = 0;
  for (const { plan, retried, longer, weight } of assumed) {
    for (const part of plan.parts) {
      const to = Math.max(part.from, part.to - (1 - retried.within) * part.loose);
      const later = at >= to ? 0 : at <= part.from ? 1 : (to - at) / (to - part.from);
      unsent += weight * part.share * later;
      const waited = (at - (part.from + to) / 2) / SECOND_MS / retried.stretch;
      waiting += weight * part.share * retried.share * (longerThan(longer, waited) - later);
    }
  }
  return unsent <= OPEN_SHARE && unsent + Math.max(0, waiting) <= open;
}
