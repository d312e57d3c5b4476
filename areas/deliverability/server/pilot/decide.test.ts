// The moves of the autopilot depend only on the account's own evidence. They are few and
// reversible, and none is made during two healthy weeks. simulated-providers.ts simulates the
// providers.
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { areAllRuns, propertyOptions } from '#testing/setup/property-runs.ts';
import { createSeededRandom } from '#areas/experiments/server/index.ts';
import { decideMove, type PilotState, PROBES_PER_HOUR } from './decide.ts';
import {
  type DaySums,
  formatDay,
  NO_SUMS,
  type PilotReading,
  type ResultSums,
  addReading,
} from './readings.ts';
import {
  type SimulationOutcome,
  PROVIDERS,
  simulateFixedPlan,
  simulateFortnight,
  simulatePilot,
  simulateRefusals,
  type ProviderResponse,
} from './simulated-providers.ts';

const NOW = Date.UTC(2027, 2, 1, 20);
const HOUR_MS = 3_600_000;
const STEP_MS = 300_000;

const IDLE: PilotState = {
  ...{ perHour: null, endsAtPerHour: null, isPaused: false, isEngagedOnly: false },
  ...{ opensAt: null, moves: [], heldUntil: null },
};

/**
 * Returns readings every five minutes for three hours, with the given events evenly distributed.
 */
function createInputs(sums: Partial<ResultSums>, isReporting = true) {
  let readings: PilotReading[] = [];
  const total = { ...NO_SUMS, ...sums };
  const days = new Map<string, ResultSums>();
  for (let at = NOW - 3 * HOUR_MS; at <= NOW; at += STEP_MS) {
    const share = (at - NOW + 3 * HOUR_MS) / (3 * HOUR_MS);
    const partialSums = { ...NO_SUMS };
    for (const key of Object.keys(total) as (keyof ResultSums)[]) {
      partialSums[key] = Math.round(total[key] * share);
    }
    days.set(formatDay(at), partialSums);
    readings = addReading(readings, days, at);
  }
  return { readings, days: days as DaySums, isReporting, now: NOW };
}

describe('the next move', () => {
  test.each([
    ['no emails', {}, undefined],
    ['accepted emails', { accepted: 1_900 }, undefined],
    ['few deferrals', { accepted: 1_800, throttled: 100 }, undefined],
    ['many deferrals of few emails', { accepted: 90, throttled: 90 }, undefined],
    ['many deferrals', { accepted: 1_500, throttled: 400 }, 'slow'],
    ['many refusals', { accepted: 1_500, failed: 400, policy: 400 }, 'pause'],
    ['unknown recipients', { accepted: 1_500, failed: 400 }, undefined],
    ['many complaints', { accepted: 1_900, complaints: 20 }, 'pause'],
    ['complaints at the limit', { accepted: 1_900, complaints: 6 }, undefined],
  ])('the next move after $0 is $2', (_, sums, move) => {
    expect(decideMove(IDLE, createInputs(sums))?.move).toBe(move);
  });

  test('complaints count only if the provider reports them', () => {
    expect(
      decideMove(IDLE, createInputs({ accepted: 1_900, complaints: 60 }, false)),
    ).toBeUndefined();
  });

  test('deferrals halve the rate of the last hour, or the limit', () => {
    const manyThrottled = createInputs({ accepted: 1_500, throttled: 300 });
    expect(decideMove(IDLE, manyThrottled)?.nextLimits).toMatchObject({
      perHour: 300,
      endsAtPerHour: 1_200,
    });
    const limitedState = { ...IDLE, perHour: 400, endsAtPerHour: 900 };
    expect(decideMove(limitedState, manyThrottled)?.nextLimits).toMatchObject({
      perHour: 200,
      endsAtPerHour: 900,
    });
    expect(decideMove({ ...limitedState, perHour: 50 }, manyThrottled)).toBeUndefined();
  });

  test('refusals pause sending; clean hours resume it at the lowest limit, and later raise and finally remove the limit', () => {
    const pausedDecision = decideMove(
      IDLE,
      createInputs({ accepted: 600, failed: 300, policy: 300 }),
    );
    expect(pausedDecision).toMatchObject({
      ...{ move: 'pause', cause: 'refusals' },
      nextLimits: { perHour: PROBES_PER_HOUR, isPaused: true },
    });
    const clean = createInputs({ accepted: 300 });
    const state = { ...IDLE, ...pausedDecision?.nextLimits };
    expect(decideMove(state, clean)).toMatchObject({ move: 'resume', nextLimits: { perHour: 50 } });
    expect(decideMove({ ...state, isPaused: false, perHour: 80 }, clean)).toMatchObject({
      ...{ move: 'raise', cause: 'clean', nextLimits: { perHour: 100 } },
    });
    const nearEnd = { ...IDLE, perHour: 100, endsAtPerHour: 120 };
    expect(decideMove(nearEnd, clean)).toMatchObject({
      move: 'end',
      nextLimits: { perHour: null },
    });
    expect(decideMove(nearEnd, createInputs({ accepted: 60 }))).toBeUndefined();
    expect(decideMove(nearEnd, createInputs({ accepted: 270, throttled: 30 }))).toBeUndefined();
  });

  test('two shortfalls of opens restrict emails to engaged subscribers until opens recover', () => {
    const at = NOW - 2 * 24 * HOUR_MS;
    const opens = { level: 'act' as const, count: 900, of: 1_500, startedAt: at };
    const clean = createInputs({ accepted: 1_900 });
    const narrowedDecision = decideMove(IDLE, { ...clean, opens });
    expect(narrowedDecision).toMatchObject({
      ...{ move: 'narrow', cause: 'opens', count: 900, of: 1_500, opensAt: at },
      nextLimits: { perHour: null, endsAtPerHour: null, isPaused: false, isEngagedOnly: true },
    });
    expect(decideMove(IDLE, { ...clean, opens: { ...opens, level: 'watch' } })).toBeUndefined();
    // The same campaigns do not lead to a second move, but a newer campaign does.
    const idleState = { ...IDLE, opensAt: at };
    expect(decideMove(idleState, { ...clean, opens })).toBeUndefined();
    expect(decideMove(idleState, { ...clean, opens: { ...opens, startedAt: at + 1 } })?.move).toBe(
      'narrow',
    );

    const state = { ...idleState, ...narrowedDecision?.nextLimits };
    expect(decideMove(state, { ...clean, opens })).toBeUndefined();
    expect(decideMove(state, { ...clean, opens: { ...opens, level: 'watch' } })).toBeUndefined();
    expect(decideMove(state, clean)).toMatchObject({
      move: 'widen',
      nextLimits: { isEngagedOnly: false },
    });
  });

  test('a pause without evidence ends after a day, and sending resumes at the lowest limit', () => {
    const noFailures = createInputs({ accepted: 1 });
    const decideAfter = (hours: number) => {
      const moves = [NOW - hours * HOUR_MS];
      return decideMove(
        { ...IDLE, moves, perHour: 20, endsAtPerHour: 900, isPaused: true },
        noFailures,
      );
    };
    expect(decideAfter(23)).toBeUndefined();
    expect(decideAfter(24)).toMatchObject({
      move: 'resume',
      nextLimits: { perHour: 50, isPaused: false },
    });
  });

  test('low open rates do not change a limit, and refusals take precedence', () => {
    const opens = { level: 'act' as const, count: 900, of: 1_500, startedAt: NOW - HOUR_MS };
    const limitedState = { ...IDLE, perHour: 400, endsAtPerHour: 900 };
    expect(
      decideMove(limitedState, { ...createInputs({ accepted: 300 }), opens })?.nextLimits,
    ).toMatchObject({
      ...{ perHour: 400, endsAtPerHour: 900, isEngagedOnly: true },
    });
    const refusedInputs = { ...createInputs({ accepted: 1_500, failed: 400, policy: 400 }), opens };
    expect(decideMove(IDLE, refusedInputs)?.move).toBe('pause');
    // During a pause, the few emails that are sent already go only to engaged subscribers.
    const moves = [NOW - 2 * HOUR_MS];
    const pausedState = { ...IDLE, moves, perHour: 20, isPaused: true, isEngagedOnly: false };
    expect(decideMove(pausedState, { ...createInputs({ accepted: 1 }), opens })).toBeUndefined();
    const raisedDecision = decideMove(
      { ...limitedState, isEngagedOnly: true },
      { ...createInputs({ accepted: 500 }), opens },
    );
    expect(raisedDecision).toMatchObject({
      move: 'raise',
      nextLimits: { perHour: 500, isEngagedOnly: true },
    });
  });

  test('moves are at least half an hour apart, at most four a day, and never before `heldUntil`', () => {
    const throttledInputs = createInputs({ accepted: 1_000, throttled: 900 });
    const decideAfter = (...moves: number[]) =>
      decideMove({ ...IDLE, moves: moves.map((ago) => NOW - ago) }, throttledInputs)?.move;
    expect(decideAfter(20 * 60_000)).toBeUndefined();
    expect(decideAfter(2 * HOUR_MS)).toBe('slow');
    expect(decideAfter(...[20, 15, 10].map((hours) => hours * HOUR_MS))).toBe('slow');
    expect(decideAfter(...[20, 15, 10, 2].map((hours) => hours * HOUR_MS))).toBeUndefined();
    expect(decideAfter(...[25, 15, 10, 2].map((hours) => hours * HOUR_MS))).toBe('slow');
    expect(decideMove({ ...IDLE, heldUntil: NOW + 1 }, throttledInputs)).toBeUndefined();
    expect(decideMove({ ...IDLE, heldUntil: NOW }, throttledInputs)?.move).toBe('slow');
  });

  test('`slow` lowers a limit to no less than 50 and `raise` adds at most a quarter, for any results', () => {
    const count = fc.nat(5_000);
    const sums = fc.record({
      ...{ accepted: count, failed: count, throttled: count },
      ...{ policy: count, complaints: fc.nat(100) },
    });
    fc.assert(
      fc.property(sums, fc.option(fc.integer({ min: 20, max: 10_000 })), (inputs, perHour) => {
        const state = { ...IDLE, perHour, endsAtPerHour: perHour && perHour * 4 };
        const decision = decideMove(state, createInputs(inputs));
        if (!decision) return;
        const { move, count, of: total, nextLimits } = decision;
        expect(count).toBeLessThanOrEqual(Math.max(total, inputs.policy));
        if (move === 'raise')
          expect(nextLimits.perHour).toBeLessThanOrEqual((perHour ?? 0) * 1.25 + 1);
        if (move === 'slow' && perHour) expect(nextLimits.perHour).toBeLessThan(perHour);
        if (move === 'slow') expect(nextLimits.perHour).toBeGreaterThanOrEqual(50);
        expect(move === 'begin').toBe(false);
      }),
      propertyOptions(2_000, 100),
    );
  });
});

describe('simulated providers', () => {
  const VOLUME = 20_000;
  const DOMAINS = areAllRuns ? 1_000 : 100;

  test('with the autopilot, new domains reach their full volume 30 % sooner than with the fixed plan, and none is blocked', () => {
    const comparisons: { fixed: SimulationOutcome; pilot: SimulationOutcome }[] = [];
    for (let seed = 0; seed < DOMAINS; seed++) {
      const provider = PROVIDERS[seed % PROVIDERS.length];
      if (!provider) throw new Error('No provider');
      const fixedOutcome = simulateFixedPlan(provider, createSeededRandom(seed), VOLUME);
      const pilot = simulatePilot(provider, createSeededRandom(seed), VOLUME);
      expect(pilot.isBlocked, `${provider.name}, seed ${seed}`).toBe(false);
      expect(pilot.daysToFullVolume).toBeDefined();
      // Domains that are blocked because of the fixed plan never reach the full volume.
      if (fixedOutcome.daysToFullVolume !== undefined)
        comparisons.push({ fixed: fixedOutcome, pilot });
    }
    expect(comparisons.length).toBeGreaterThan(DOMAINS / 2);
    const sumBy = (select: (results: (typeof comparisons)[number]) => number) =>
      comparisons.reduce((total, results) => total + select(results), 0);
    const days = sumBy(({ pilot }) => pilot.daysToFullVolume ?? 0);
    expect(days).toBeLessThanOrEqual(
      0.7 * sumBy(({ fixed: fixedOutcome }) => fixedOutcome.daysToFullVolume ?? 0),
    );
    expect(sumBy(({ pilot }) => pilot.deferred)).toBeLessThanOrEqual(
      sumBy(({ fixed: fixedOutcome }) => fixedOutcome.deferred),
    );
  });

  test('at a provider that refuses email above a rate, the autopilot reduces refusals by 60 % and reaches the full volume', () => {
    const refusedCounts = { without: 0, pilot: 0 };
    for (let seed = 0; seed < DOMAINS; seed++) {
      const { withoutPilot, withPilot } = simulateRefusals(seed, VOLUME);
      expect(withPilot.daysToFullVolume, `seed ${seed}`).toBeDefined();
      refusedCounts.without += withoutPilot.refused;
      refusedCounts.pilot += withPilot.refused;
    }
    expect(refusedCounts.pilot).toBeLessThanOrEqual(0.4 * refusedCounts.without);
  });

  const acceptAll: ProviderResponse = (_, attempts) => ({ ...NO_SUMS, accepted: attempts });
  test.each<[string, ProviderResponse]>([
    ['a healthy provider', acceptAll],
    [
      'a provider with a few deferrals and refusals',
      (_, attempts, random) => {
        const throttledCount = Math.round(attempts * 0.06 * random());
        const policy = Math.round(attempts * 0.02 * random());
        const acceptedCount = attempts - throttledCount - policy;
        return {
          ...NO_SUMS,
          accepted: acceptedCount,
          failed: policy,
          policy,
          throttled: throttledCount,
        };
      },
    ],
    // Greylisting defers by recipient and not by rate, so its deferrals are not throttled attempts.
    ['greylisting', (_, attempts) => ({ ...NO_SUMS, accepted: Math.round(attempts * 0.5) })],
    [
      'an outage',
      (step, attempts, random) => (step % 288 > 100 ? NO_SUMS : acceptAll(step, attempts, random)),
    ],
  ])('%s does not cause a move in two weeks', (_, respond) => {
    expect(simulateFortnight(respond, createSeededRandom(4))).toBe(0);
  });
});
