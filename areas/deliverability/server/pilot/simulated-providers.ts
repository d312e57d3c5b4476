// Simulated mailbox providers for tests of the autopilot. The reputation of a domain allows it a
// rate, which grows with accepted email. Email above this rate is deferred or refused, and too much
// of it blocks the domain.
import { createSeededRandom } from '#areas/experiments/server/index.ts';
import { computeWarmUpCaps } from '#areas/delivery/relay-limits.ts';
import { createFirstLimit, decideMove, type PilotState } from './decide.ts';
import {
  countAttempts,
  formatDay,
  NO_SUMS,
  type PilotReading,
  type ResultSums,
  addReading,
} from './readings.ts';

type Random = ReturnType<typeof createSeededRandom>;

const STEP_MS = 300_000;
const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;
const STEPS_PER_DAY = DAY_MS / STEP_MS;
const START = Date.UTC(2027, 2, 1);
/** Deferred copies are retried after half an hour. */
const RETRY_STEPS = 6;
/**
 * How senders adapt their rate: a step with deferrals halves the attempted rate, and each step
 * without deferrals raises it by a tenth.
 */
const AFTER_DEFERRAL = 0.5;
const RECOVERY = 1.1;

export type SimulatedProvider = {
  name: string;
  /** Range of the emails per hour that a new domain may send. */
  firstRate: readonly [number, number];
  /** Range of the factor by which the rate grows on a day with email accepted at the full rate. */
  dailyGrowth: readonly [number, number];
  /** Whether email above the rate is deferred (`throttled`) or refused (`policy`). */
  excessResult: 'throttled' | 'policy';
  /**
   * The domain is blocked if more than this share of a day's attempts is above the rate, on a day
   * with more than 500 attempts.
   */
  blocksAt: number;
  /** The complaints per accepted email; 0 if the provider does not report them. */
  complaints: number;
};

export const PROVIDERS: readonly SimulatedProvider[] = [
  // Defers with 421 by volume and sends no complaint reports.
  {
    name: 'gmail',
    ...{ firstRate: [80, 400], dailyGrowth: [2, 4] },
    ...{ excessResult: 'throttled', blocksAt: 0.7, complaints: 0 },
  },
  // Responds with 451, and later with 5.7.1 for the whole domain.
  {
    name: 'microsoft',
    ...{ firstRate: [60, 300], dailyGrowth: [1.8, 3.5] },
    ...{ excessResult: 'throttled', blocksAt: 0.5, complaints: 0.0005 },
  },
  // Defers temporarily with TSS04.
  {
    name: 'yahoo',
    ...{ firstRate: [60, 400], dailyGrowth: [2, 4] },
    ...{ excessResult: 'throttled', blocksAt: 0.8, complaints: 0.0008 },
  },
  // Accepts a high rate from the start, never blocks, and sends no complaint reports.
  {
    name: 'apple',
    ...{ firstRate: [1_000, 4_000], dailyGrowth: [2, 4] },
    ...{ excessResult: 'throttled', blocksAt: 1, complaints: 0 },
  },
];

const drawBetween = (random: Random, [low, high]: readonly [number, number]) =>
  Math.exp(Math.log(low) + random() * (Math.log(high) - Math.log(low)));

class SimulatedDomain {
  private readonly provider: SimulatedProvider;
  private readonly dailyGrowth: number;
  private rate: number;
  /** The attempts of the current day, and how many of them were above the rate. */
  private day = { attempts: 0, aboveRate: 0 };
  isBlocked = false;

  constructor(provider: SimulatedProvider, random: Random) {
    this.provider = provider;
    this.rate = drawBetween(random, provider.firstRate);
    this.dailyGrowth = drawBetween(random, provider.dailyGrowth);
  }

  startDay(): void {
    this.day = { attempts: 0, aboveRate: 0 };
  }

  /** Responds to the attempts of a step. */
  receive(attempts: number): ResultSums {
    const { provider } = this;
    const capacity = Math.max(1, Math.floor(this.rate / 12));
    const acceptedCount = this.isBlocked ? 0 : Math.min(attempts, capacity);
    const excess = attempts - acceptedCount;
    this.day.attempts += attempts;
    this.day.aboveRate += excess;
    const { day } = this;
    if (day.attempts > 500 && day.aboveRate > day.attempts * provider.blocksAt)
      this.isBlocked = true;
    // A full day at the rate multiplies it by the growth factor.
    this.rate *= this.dailyGrowth ** (acceptedCount / capacity / STEPS_PER_DAY);
    if (this.isBlocked) return { ...NO_SUMS, failed: attempts, policy: attempts };
    const isRefused = provider.excessResult === 'policy';
    return {
      accepted: acceptedCount,
      failed: isRefused ? excess : 0,
      policy: isRefused ? excess : 0,
      throttled: isRefused ? 0 : excess,
      complaints: Math.floor(acceptedCount * provider.complaints + 1e-9),
    };
  }
}

export type SimulationOutcome = {
  /** The number of days until a whole day at full volume was accepted; undefined if never. */
  daysToFullVolume: number | undefined;
  attempts: number;
  deferred: number;
  refused: number;
  isBlocked: boolean;
};

/** Decides how many emails to send in a step, from the results of earlier steps. */
type SendingPlan = {
  capacity(step: number): number;
  recordResults(step: number, sums: ResultSums): void;
};

const MAX_DAYS = 40;

/**
 * Sends about `volume` emails a day from an endless backlog, until a day's volume is accepted, the
 * domain is blocked, or MAX_DAYS have passed.
 */
function simulate(
  provider: SimulatedProvider,
  random: Random,
  volume: number,
  plan: SendingPlan,
): SimulationOutcome {
  const domain = new SimulatedDomain(provider, random);
  const retries = Array.from({ length: RETRY_STEPS }, () => 0);
  const outcome: SimulationOutcome = {
    ...{ daysToFullVolume: undefined, isBlocked: false },
    ...{ attempts: 0, deferred: 0, refused: 0 },
  };
  const perStep = Math.ceil((volume / STEPS_PER_DAY) * 1.5);
  let learnedLimit = Number.POSITIVE_INFINITY;
  for (let day = 0; day < MAX_DAYS && !domain.isBlocked; day++) {
    domain.startDay();
    let deliveredCount = 0;
    for (let step = day * STEPS_PER_DAY; step < (day + 1) * STEPS_PER_DAY; step++) {
      const retryCount = retries.shift() ?? 0;
      const newCount = Math.max(
        0,
        Math.floor(Math.min(plan.capacity(step), perStep, learnedLimit)) - retryCount,
      );
      const attempts = retryCount + (deliveredCount < volume ? newCount : 0);
      const sums = domain.receive(attempts);
      retries.push(sums.throttled);
      plan.recordResults(step, sums);
      learnedLimit =
        sums.throttled > 0
          ? Math.max(1, Math.min(learnedLimit, attempts) * AFTER_DEFERRAL)
          : learnedLimit * RECOVERY;
      deliveredCount += sums.accepted;
      outcome.attempts += attempts;
      outcome.deferred += sums.throttled;
      outcome.refused += sums.policy;
    }
    if (deliveredCount >= volume) {
      outcome.daysToFullVolume = day + 1;
      break;
    }
  }
  return { ...outcome, isBlocked: domain.isBlocked };
}

/** Simulates a plan with fixed daily limits, which do not depend on results. */
export function simulateFixedPlan(
  provider: SimulatedProvider,
  random: Random,
  volume: number,
): SimulationOutcome {
  const caps = computeWarmUpCaps(volume);
  let usedCount = 0;
  let today = -1;
  return simulate(provider, random, volume, {
    capacity(step) {
      const day = Math.floor(step / STEPS_PER_DAY);
      if (day !== today) [today, usedCount] = [day, 0];
      return Math.max(0, (caps[day] ?? Infinity) - usedCount);
    },
    recordResults(_, sums) {
      usedCount += sums.accepted;
    },
  });
}

/** Simulates the autopilot as a plan. */
export function simulatePilot(
  provider: SimulatedProvider,
  random: Random,
  volume: number,
): SimulationOutcome {
  const pilot = new Pilot(provider.complaints > 0);
  pilot.start(Math.ceil(volume / 24) * 2);
  return simulate(provider, random, volume, pilot);
}

/**
 * A provider that refuses email above the rate by policy (550 5.7.1) and never blocks the whole
 * domain.
 */
const REFUSING: SimulatedProvider = {
  name: 'microsoft',
  ...{ firstRate: [300, 3_000], dailyGrowth: [1.3, 2] },
  ...{ excessResult: 'policy', blocksAt: 1, complaints: 0.0005 },
};

/**
 * Simulates, with and without the autopilot, a domain that has a reputation from sending elsewhere.
 */
export function simulateRefusals(
  seed: number,
  volume: number,
): { withoutPilot: SimulationOutcome; withPilot: SimulationOutcome } {
  const unlimited = { capacity: () => Number.POSITIVE_INFINITY, recordResults: () => undefined };
  const simulatePlan = (plan: SendingPlan) =>
    simulate(REFUSING, createSeededRandom(seed), volume, plan);
  return { withoutPilot: simulatePlan(unlimited), withPilot: simulatePlan(new Pilot(true)) };
}

/**
 * The autopilot of one domain at one provider. It makes moves the way the autopilot's poller does.
 */
class Pilot implements SendingPlan {
  moveCount = 0;
  private readonly isReporting: boolean;
  private readings: PilotReading[] = [];
  private readonly days = new Map<string, ResultSums>();
  private state: PilotState = {
    ...{ perHour: null, endsAtPerHour: null, isPaused: false, isEngagedOnly: false },
    ...{ opensAt: null, moves: [], heldUntil: null },
  };
  /** The attempts in each step of the last hour. */
  private readonly hour: number[] = [];

  constructor(isReporting: boolean) {
    this.isReporting = isReporting;
  }

  start(endsAtPerHour: number): void {
    this.state = { ...this.state, ...createFirstLimit(endsAtPerHour) };
  }

  capacity(): number {
    if (this.state.perHour === null) return Number.POSITIVE_INFINITY;
    const usedCount = this.hour.reduce((sum, count) => sum + count, 0);
    return Math.max(0, this.state.perHour - usedCount);
  }

  recordResults(step: number, sums: ResultSums): void {
    this.hour.push(countAttempts(sums));
    if (this.hour.length > HOUR_MS / STEP_MS) this.hour.shift();
    const now = START + (step + 1) * STEP_MS;
    const day = formatDay(now - 1);
    const daySums = this.days.get(day) ?? NO_SUMS;
    const total = { ...daySums };
    for (const key of Object.keys(total) as (keyof ResultSums)[]) total[key] += sums[key];
    this.days.set(day, total);
    for (const oldDay of this.days.keys()) {
      if (oldDay < formatDay(now - 2 * DAY_MS)) this.days.delete(oldDay);
    }
    const { readings, days, isReporting } = this;
    const decision = decideMove(this.state, { readings, days, isReporting, now });
    this.readings = addReading(readings, days, now);
    if (!decision) return;
    this.moveCount++;
    const moves = [...this.state.moves.filter((at) => at > now - DAY_MS), now];
    this.state = { ...this.state, ...decision.nextLimits, moves };
  }
}

/** A provider's responses to the attempts of a step during two healthy weeks. */
export type ProviderResponse = (step: number, attempts: number, random: Random) => ResultSums;

/** Counts the moves of the autopilot during two weeks of campaigns from an established domain. */
export function simulateFortnight(respond: ProviderResponse, random: Random): number {
  const pilot = new Pilot(true);
  for (let step = 0; step < 14 * STEPS_PER_DAY; step++) {
    const hour = Math.floor((step % STEPS_PER_DAY) / 12);
    const wantedCount = hour >= 8 && hour < 12 ? 200 : 5;
    pilot.recordResults(step, respond(step, Math.min(wantedCount, pilot.capacity()), random));
  }
  return pilot.moveCount;
}
