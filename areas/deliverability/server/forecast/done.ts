// Calculates when a campaign is done: simulates its sending within the limits at each likely speed,
// and adds the retries of deferred emails. The functions are pure.
// docs/decisions/0162-campaign-completion-time.md has the formulas.
import {
  type PaceLimit,
  replaySending,
  type ReplayResult,
  type SendPace,
  type SentSlot,
} from '#areas/delivery/server/ledger/index.ts';
import { createSeededRandom } from '#areas/experiments/server/index.ts';
import { DONE_SHARE } from '../../forecast-shared.ts';
import { drawNormal, computeInterval, drawStudentSeries } from './draws.ts';
import {
  computeLongerShare,
  computeMaxWaitMs,
  type RetryModel,
  computeShare,
  computeStretch,
} from './retries.ts';
import { estimateSpeeds } from './speed.ts';

/** A campaign is done when at most this share of its emails lacks a final result. */
const OPEN_SHARE = 1 - DONE_SHARE;
/** The number of draws: 30 for each of ten speeds, or all for a single replay. */
const DRAWS = 300;
const SECOND_MS = 1_000;
const MINUTE_MS = 60_000;
/** The replay has no smaller unit, so intervals are widened to whole units. */
const UNIT_MS = 5 * MINUTE_MS;
/**
 * Bisection stops at this precision, or at this fraction of the longest possible time if greater.
 */
const PRECISION_MS = 30_000;
const PRECISION_SHARE = 1 / 4_000;
/**
 * A provider's emails are grouped into buckets that end at these cumulative shares. The last
 * buckets are small, because they determine when the campaign is done.
 */
const CUTS = [0.3, 0.6, 0.8, 0.9, 0.95, 0.98, 0.985, 0.99, 0.995, 1];

/** Times are infinite if sending alone takes more than 30 days. */
export type DoneTimes = { low: number; mid: number; high: number; limit: PaceLimit };
export type DoneForecast = DoneTimes & {
  /** In at least nine of ten cases, the last retry ends before this time. */
  lastRetryAt: number;
  providers: ReadonlyMap<number, DoneTimes>;
};

export type DoneInput = Pick<SendPace, 'pace' | 'quarters'> & {
  /** The number of recipients by mailbox provider. */
  recipients: ReadonlyMap<number, number>;
  startsAt: number;
  /** Retry models by mailbox provider, one for each key of `recipients`. */
  retries: ReadonlyMap<number, RetryModel>;
};

/**
 * The share of a provider's emails sent between two instants. The last of these emails may be sent
 * up to `slackMs` before `to`.
 */
type SendPart = { from: number; to: number; slackMs: number; share: number };
type SendPlan = { parts: readonly SendPart[]; end: number };

/** Uncertain values of one draw, except the speed. */
type RetryDraw = { share: number; stretch: number; quantile: number };
/** The assumptions of one draw about a provider. `weight` is its share of the counted emails. */
type ProviderAssumption = {
  plan: SendPlan;
  retryDraw: RetryDraw;
  longerShares: readonly number[];
  weight: number;
};

export type DoneOptions = {
  seed: number;
  /** Widens or narrows the intervals according to the results of the account's past forecasts. */
  scale?: number | undefined;
  /**
   * If false, the forecast ignores the randomness of single emails, which matters for small
   * campaigns.
   */
  hasChance?: boolean;
};

/** Returns the times; undefined if nothing limits the speed and no past speed is known. */
export function forecastCompletion(
  input: DoneInput,
  options: DoneOptions,
): DoneForecast | undefined {
  const { quarters, pace, startsAt } = input;
  const recipients = new Map([...input.recipients].filter(([, count]) => count > 0));
  const total = [...recipients.values()].reduce((sum, count) => sum + count, 0);
  const replays = simulateReplays(
    recipients,
    { pace, startsAt },
    estimateSpeeds(quarters, total, options),
  );
  const medianReplay = replays[Math.floor(replays.length / 2)];
  if (!medianReplay) return undefined;
  const campaign = new CampaignSimulation({ ...input, recipients }, replays, options);
  const providers = [...recipients].map(([mailbox, count]) => {
    const endTimes = campaign.computeEnds([mailbox], count);
    return [mailbox, computeTimes(endTimes, getLimit(medianReplay, mailbox), startsAt)] as const;
  });
  const mailboxes = [...recipients.keys()];
  return {
    ...computeTimes(campaign.computeEnds(mailboxes, total), medianReplay.limit, startsAt),
    lastRetryAt: roundUp(computeInterval(campaign.computeLastEnds(mailboxes, total)).high),
    providers: new Map(providers),
  };
}

/**
 * Returns one replay for each speed, or a single one if no speed is known or the other limits alone
 * decide.
 */
function simulateReplays(
  recipients: ReadonlyMap<number, number>,
  { pace, startsAt }: Pick<DoneInput, 'pace' | 'startsAt'>,
  [slowest, ...faster]: readonly number[],
): ReplayResult[] {
  const replayAt = (perSecond: number | undefined) =>
    replaySending(recipients, startsAt, { ...pace, perSecond });
  const slowestReplay = replayAt(slowest);
  if (!slowestReplay?.isSpeedTight) return slowestReplay ? [slowestReplay] : [];
  return [slowestReplay, ...faster.flatMap((perSecond) => replayAt(perSecond) ?? [])];
}

const getLimit = (replayResult: ReplayResult, mailbox: number) =>
  replayResult.providers.get(mailbox)?.limit ?? replayResult.limit;

const roundUp = (instant: number) => Math.ceil(instant / UNIT_MS) * UNIT_MS;

function computeTimes(ends: Float64Array, limit: PaceLimit, startsAt: number): DoneTimes {
  const { low, mid, high } = computeInterval(ends);
  return {
    low: Math.max(startsAt, Math.floor(low / UNIT_MS) * UNIT_MS),
    mid: Math.max(startsAt, Math.round(mid / MINUTE_MS) * MINUTE_MS),
    high: roundUp(high),
    limit,
  };
}

/** The draws of one campaign. */
class CampaignSimulation {
  private readonly startsAt: number;
  private readonly plans: readonly ReadonlyMap<number, SendPlan>[];
  private readonly recipients: ReadonlyMap<number, number>;
  private readonly retries: ReadonlyMap<number, RetryModel>;
  private readonly retryDraws: ReadonlyMap<number, readonly RetryDraw[]>;
  private readonly chances: Float64Array;

  constructor(
    { startsAt, recipients, retries }: DoneInput,
    replays: readonly ReplayResult[],
    { seed, scale = 1, hasChance = true }: DoneOptions,
  ) {
    this.startsAt = startsAt;
    this.recipients = recipients;
    this.retries = retries;
    this.plans = replays.map(createPlans);
    this.retryDraws = new Map(
      [...retries].map(([mailbox, model]) => [mailbox, drawRetries(model, seed + mailbox, scale)]),
    );
    const random = createSeededRandom(seed ^ 0x3c6ef372);
    this.chances = Float64Array.from(
      { length: DRAWS },
      () => drawNormal(random) * Number(hasChance),
    );
  }

  /** Computes when these providers are done, by draw. */
  computeEnds(mailboxes: readonly number[], recipients: number): Float64Array {
    return this.computeEndsAt(mailboxes, recipients, (chance) =>
      computeOpenShare(recipients, chance),
    );
  }

  /** Computes the instants of the last final result, by draw. */
  computeLastEnds(mailboxes: readonly number[], recipients: number): Float64Array {
    return this.computeEndsAt(
      mailboxes,
      recipients,
      (chance) => computeOpenCount(1, chance) / recipients,
    );
  }

  private computeEndsAt(
    mailboxes: readonly number[],
    recipients: number,
    openAt: (chance: number) => number,
  ): Float64Array {
    return this.chances.map((chance, draw) => {
      const assumptions = mailboxes.flatMap((mailbox) =>
        this.listAssumptions(mailbox, draw, recipients),
      );
      return findEnd(assumptions, this.startsAt, openAt(chance));
    });
  }

  private listAssumptions(mailbox: number, draw: number, recipients: number): ProviderAssumption[] {
    const plan = this.plans[draw % this.plans.length]?.get(mailbox);
    const retryDraw = this.retryDraws.get(mailbox)?.[draw];
    const longerShares = this.retries.get(mailbox)?.longerShares;
    if (!plan || !retryDraw || !longerShares) return [];
    return [
      {
        plan,
        retryDraw,
        longerShares,
        weight: (this.recipients.get(mailbox) ?? 0) / recipients,
      },
    ];
  }
}

function drawRetries(model: RetryModel, seed: number, scale: number): RetryDraw[] {
  const shares = drawStudentSeries(seed ^ 0x1b873593, model.share.degreesOfFreedom, DRAWS);
  const stretches = drawStudentSeries(seed ^ 0x85ebca6b, model.stretch.degreesOfFreedom, DRAWS);
  const random = createSeededRandom(seed ^ 0xc2b2ae35);
  return Array.from({ length: DRAWS }, (_, draw) => ({
    share: computeShare(model, shares[draw] ?? 0, scale),
    stretch: computeStretch(model, stretches[draw] ?? 0, scale),
    quantile: random(),
  }));
}

/**
 * Returns the quantile of the expected number of emails without a final result when all but `k` − 1
 * have one, from a gamma distribution (Wilson and Hilferty 1931).
 */
const computeOpenCount = (k: number, chance: number) =>
  k * Math.max(0.05, 1 - 1 / (9 * k) + chance / (3 * Math.sqrt(k))) ** 3;

/** Returns the expected share of emails without a final result when the campaign is done. */
function computeOpenShare(recipients: number, chance: number): number {
  const k = Math.max(1, recipients * OPEN_SHARE + 0.5);
  return Math.min(1, computeOpenCount(k, chance) / recipients);
}

function createPlans({ providers }: ReplayResult): Map<number, SendPlan> {
  const plans = [...providers].map(([mailbox, { sent, isDone }]) => {
    const end = isDone ? (sent.at(-1)?.to ?? 0) : Infinity;
    return [mailbox, { parts: mergeParts(sent), end }] as const;
  });
  return new Map(plans);
}

/** Merges the emails of a provider into at most one bucket per cut. */
function mergeParts(sent: readonly SentSlot[]): SendPart[] {
  const total = sent.reduce((sum, { count }) => sum + count, 0);
  const parts: SendPart[] = [];
  let sentBefore = 0;
  let cutIndex = -1;
  for (const { from, to, count, isPaced } of sent) {
    const next = CUTS.findIndex((share) => sentBefore + count / 2 <= share * total);
    const slackMs = isPaced ? 0 : to - from;
    const lastPart = parts.at(-1);
    if (lastPart && next === cutIndex)
      Object.assign(lastPart, { to, slackMs, share: lastPart.share + count / total });
    else parts.push({ from, to, slackMs, share: count / total });
    cutIndex = next;
    sentBefore += count;
  }
  return parts;
}

/** Finds by bisection when at most this share of the emails still lacks a final result. */
function findEnd(
  assumptions: readonly ProviderAssumption[],
  startsAt: number,
  openRatio: number,
): number {
  const end = assumptions.reduce((latest, { plan }) => Math.max(latest, plan.end), startsAt);
  if (end === Infinity) return Infinity;
  let lowBound = startsAt;
  let highBound = end + computeMaxWaitMs(1);
  const precision = Math.max(PRECISION_MS, (highBound - lowBound) * PRECISION_SHARE);
  while (highBound - lowBound > precision) {
    const middle = (lowBound + highBound) / 2;
    if (isDoneAt(assumptions, middle, openRatio)) highBound = middle;
    else lowBound = middle;
  }
  return (lowBound + highBound) / 2;
}

function isDoneAt(
  assumptions: readonly ProviderAssumption[],
  at: number,
  openRatio: number,
): boolean {
  let unsent = 0;
  let waiting = 0;
  for (const { plan, retryDraw, longerShares, weight } of assumptions) {
    for (const part of plan.parts) {
      const latestEnd = Math.max(part.from, part.to - (1 - retryDraw.quantile) * part.slackMs);
      const unsentRatio =
        at >= latestEnd ? 0 : at <= part.from ? 1 : (latestEnd - at) / (latestEnd - part.from);
      unsent += weight * part.share * unsentRatio;
      const waitSeconds = (at - (part.from + latestEnd) / 2) / SECOND_MS / retryDraw.stretch;
      waiting +=
        weight *
        part.share *
        retryDraw.share *
        (computeLongerShare(longerShares, waitSeconds) - unsentRatio);
    }
  }
  return unsent <= OPEN_SHARE && unsent + Math.max(0, waiting) <= openRatio;
}
