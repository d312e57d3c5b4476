// Simulated mailbox providers for tests of the autopilot. The reputation of a domain allows it a
// rate, which grows with accepted email. Email above this rate is deferred or refused, and too much
// of it blocks the domain.
import { createSeededRandom } from '#areas/experiments/server/index.ts';
import { warmUpCaps } from '#areas/delivery/relay-limits.ts';
import { firstLimit, decide, type PilotState } from './decide.ts';
import { attemptsOf, dayOf, NO_SUMS, type Reading, type Sums, withReading } from './readings.ts';

type Random = ReturnType<typeof createSeededRandom>;

const STEP_MS = 300_000;
const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;
const STEPS_PER_DAY = DAY_MS / STEP_MS;
const START = Date.UTC(2027, 2, 1);
/** Deferred copies are retried after half an hour. */
const RETRY_STEPS = 6;
/**
 * Factors by which senders adapt their rate: after a step with deferrals to half of the attempted
 * rate, and after each step without them to a rate that is a tenth higher.
 */
const AFTER_DEFERRAL = 0.5;
const RECOVERY = 1.1;

export type Provider = {
  name: string;
  /** Range of the emails per hour that a new domain may send. */
  first: readonly [number, number];
  /** Range of the factor that a day of accepted email at the full rate multiplies the rate by. */
  growth: readonly [number, number];
  /** Whether email above the rate is deferred (`throttled`) or refused (`policy`). */
  over: 'throttled' | 'policy';
  /**
   * The domain is blocked if more than this share of a day's attempts (over 500) is above the rate.
   */
  blocksAt: number;
  /** The complaints per accepted email; 0 if the provider does not report them. */
  complaints: number;
};

export const PROVIDERS: readonly Provider[] = [
  // Defers with 421 by volume, and sends no complaint reports.
  {
    name: 'gmail',
    ...{ first: [80, 400], growth: [2, 4] },
    ...{ over: 'throttled', blocksAt: 0.7, complaints: 0 },
  },
  // Responds with 451, and later with 5.7.1 for the whole domain.
  {
    name: 'microsoft',
    ...{ first: [60, 300], growth: [1.8, 3.5] },
    ...{ over: 'throttled', blocksAt: 0.5, complaints: 0.0005 },
  },
  // Defers temporarily with TSS04.
  {
    name: 'yahoo',
    ...{ first: [60, 400], growth: [2, 4] },
    ...{ over: 'throttled', blocksAt: 0.8, complaints: 0.0008 },
  },
  // Accepts a high rate from the start, never blocks, and sends no complaint reports.
  {
    name: 'apple',
    ...{ first: [1_000, 4_000], growth: [2, 4] },
    ...{ over: 'throttled', blocksAt: 1, complaints: 0 },
  },
];

const between = (random: Random, [low, high]: readonly [number, number]) =>
  Math.exp(Math.log(low) + random() * (Math.log(high) - Math.log(low)));

class Domain {
  private readonly provider: Provider;
  private readonly growth: number;
  private rate: number;
  /** The attempts of the current day, and how many of them were above the rate. */
  private day = { attempts: 0, over: 0 };
  isBlocked = false;

  constructor(provider: Provider, random: Random) {
    this.provider = provider;
    this.rate = between(random, provider.first);
    this.growth = between(random, provider.growth);
  }

  startDay(): void {
    this.day = { attempts: 0, over: 0 };
  }

  /** Responds to the attempts of a step. */
  receive(attempts: number): Sums {
    const { provider } = this;
    const capacity = Math.max(1, Math.floor(this.rate / 12));
    const accepted = this.isBlocked ? 0 : Math.min(attempts, capacity);
    const over = attempts - accepted;
    this.day.attempts += attempts;
    this.day.over += over;
    const { day } = this;
    if (day.attempts > 500 && day.over > day.attempts * provider.blocksAt) this.isBlocked = true;
    // A full day at the rate multiplies it by the growth factor.
    this.rate *= this.growth ** (accepted / capacity / STEPS_PER_DAY);
    if (this.isBlocked) return { ...NO_SUMS, failed: attempts, policy: attempts };
    const isRefused = provider.over === 'policy';
    return {
      accepted,
      failed: isRefused ? over : 0,
      policy: isRefused ? over : 0,
      throttled: isRefused ? 0 : over,
      complaints: Math.floor(accepted * provider.complaints + 1e-9),
    };
  }
}

export type Outcome = {
  /** The number of days until a whole day at full volume was accepted; undefined if never. */
  fullAfter: number | undefined;
  attempts: number;
  deferred: number;
  refused: number;
  isBlocked: boolean;
};

/** Determines the number of emails in a step from the results of earlier steps. */
type Plan = {
  capacity(step: number): number;
  learn(step: number, sums: Sums): void;
};

const MAX_DAYS = 40;

/**
 * Sends about `volume` emails a day from an endless backlog, until a day's volume is accepted, the
 * domain is blocked, or MAX_DAYS have passed.
 */
function simulate(provider: Provider, random: Random, volume: number, plan: Plan): Outcome {
  const domain = new Domain(provider, random);
  const retries = Array.from({ length: RETRY_STEPS }, () => 0);
  const outcome: Outcome = {
    ...{ fullAfter: undefined, isBlocked: false },
    ...{ attempts: 0, deferred: 0, refused: 0 },
  };
  const perStep = Math.ceil((volume / STEPS_PER_DAY) * 1.5);
  let learned = Number.POSITIVE_INFINITY;
  for (let day = 0; day < MAX_DAYS && !domain.isBlocked; day++) {
    domain.startDay();
    let delivered = 0;
    for (let step = day * STEPS_PER_DAY; step < (day + 1) * STEPS_PER_DAY; step++) {
      const again = retries.shift() ?? 0;
      const fresh = Math.max(
        0,
        Math.floor(Math.min(plan.capacity(step), perStep, learned)) - again,
      );
      const attempts = again + (delivered < volume ? fresh : 0);
      const sums = domain.receive(attempts);
      retries.push(sums.throttled);
      plan.learn(step, sums);
      learned =
        sums.throttled > 0
          ? Math.max(1, Math.min(learned, attempts) * AFTER_DEFERRAL)
          : learned * RECOVERY;
      delivered += sums.accepted;
      outcome.attempts += attempts;
      outcome.deferred += sums.throttled;
      outcome.refused += sums.policy;
    }
    if (delivered >= volume) {
      outcome.fullAfter = day + 1;
      break;
    }
  }
  return { ...outcome, isBlocked: domain.isBlocked };
}

/** Simulates a plan with fixed daily limits, which do not depend on results. */
export function simulateFixedPlan(provider: Provider, random: Random, volume: number): Outcome {
  const caps = warmUpCaps(volume);
  let used = 0;
  let today = -1;
  return simulate(provider, random, volume, {
    capacity(step) {
      const day = Math.floor(step / STEPS_PER_DAY);
      if (day !== today) [today, used] = [day, 0];
      return Math.max(0, (caps[day] ?? Infinity) - used);
    },
    learn(_, sums) {
      used += sums.accepted;
    },
  });
}

/** Simulates the autopilot as a plan. */
export function simulatePilot(provider: Provider, random: Random, volume: number): Outcome {
  const pilot = new Pilot(provider.complaints > 0);
  pilot.begin(Math.ceil(volume / 24) * 2);
  return simulate(provider, random, volume, pilot);
}

/**
 * A provider that refuses email above the rate by policy (550 5.7.1), and never blocks the whole
 * domain.
 */
const REFUSING: Provider = {
  name: 'microsoft',
  ...{ first: [300, 3_000], growth: [1.3, 2] },
  ...{ over: 'policy', blocksAt: 1, complaints: 0.0005 },
};

/** Simulates a domain that is established elsewhere, with and without the autopilot. */
export function simulateRefusals(
  seed: number,
  volume: number,
): { without: Outcome; pilot: Outcome } {
  const unlimited = { capacity: () => Number.POSITIVE_INFINITY, learn: () => undefined };
  const outcomeOf = (plan: Plan) => simulate(REFUSING, createSeededRandom(seed), volume, plan);
  return { without: outcomeOf(unlimited), pilot: outcomeOf(new Pilot(true)) };
}

/** The autopilot of one domain at one provider, which makes moves as its poller does. */
class Pilot implements Plan {
  moves = 0;
  private readonly isReporting: boolean;
  private readings: Reading[] = [];
  private readonly days = new Map<string, Sums>();
  private state: PilotState = {
    ...{ perHour: null, endsAtPerHour: null, isPaused: false, isEngagedOnly: false },
    ...{ opensAt: null, moves: [], heldUntil: null },
  };
  /** The attempts of each step of the last hour. */
  private readonly hour: number[] = [];

  constructor(isReporting: boolean) {
    this.isReporting = isReporting;
  }

  begin(endsAtPerHour: number): void {
    this.state = { ...this.state, ...firstLimit(endsAtPerHour) };
  }

  capacity(): number {
    if (this.state.perHour === null) return Number.POSITIVE_INFINITY;
    const used = this.hour.reduce((sum, count) => sum + count, 0);
    return Math.max(0, this.state.perHour - used);
  }

  learn(step: number, sums: Sums): void {
    this.hour.push(attemptsOf(sums));
    if (this.hour.length > HOUR_MS / STEP_MS) this.hour.shift();
    const now = START + (step + 1) * STEP_MS;
    const day = dayOf(now - 1);
    const known = this.days.get(day) ?? NO_SUMS;
    const total = { ...known };
    for (const key of Object.keys(total) as (keyof Sums)[]) total[key] += sums[key];
    this.days.set(day, total);
    for (const old of this.days.keys()) {
      if (old < dayOf(now - 2 * DAY_MS)) this.days.delete(old);
    }
    const { readings, days, isReporting } = this;
    const decision = decide(this.state, { readings, days, isReporting, now });
    this.readings = withReading(readings, days, now);
    if (!decision) return;
    this.moves++;
    const moves = [...this.state.moves.filter((at) => at > now - DAY_MS), now];
    this.state = { ...this.state, ...decision.to, moves };
  }
}

/** A provider's responses to the attempts of a step during two healthy weeks. */
export type Weather = (step: number, attempts: number, random: Random) => Sums;

/** Counts the moves of the autopilot during two weeks of campaigns from an established domain. */
export function simulateFortnight(weather: Weather, random: Random): number {
  const pilot = new Pilot(true);
  for (let step = 0; step < 14 * STEPS_PER_DAY; step++) {
    const hour = Math.floor((step % STEPS_PER_DAY) / 12);
    const wanted = hour >= 8 && hour < 12 ? 200 : 5;
    pilot.learn(step, weather(step, Math.min(wanted, pilot.capacity()), random));
  }
  return pilot.moves;
}
