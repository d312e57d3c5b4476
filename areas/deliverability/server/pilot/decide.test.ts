// The moves of the autopilot depend only on the account's own evidence. They are few and
// reversible, and none is made during two healthy weeks. The simulated providers are those of
// simulated-providers.ts.
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { areAllRuns, runs } from '#testing/setup/property-runs.ts';
import { createSeededRandom } from '#areas/experiments/server/index.ts';
import { decide, type PilotState, PROBES_PER_HOUR } from './decide.ts';
import { type DaySums, dayOf, NO_SUMS, type Reading, type Sums, withReading } from './readings.ts';
import {
  type Outcome,
  PROVIDERS,
  simulateFixedPlan,
  simulateFortnight,
  simulatePilot,
  simulateRefusals,
  type Weather,
} from './simulated-providers.ts';

const NOW = Date.UTC(2027, 2, 1, 20);
const HOUR_MS = 3_600_000;
const STEP_MS = 300_000;

const IDLE: PilotState = {
  ...{ perHour: null, endsAtPerHour: null, isPaused: false, isEngagedOnly: false },
  ...{ opensAt: null, moves: [], heldUntil: null },
};

/**
 * Returns readings every five minutes for three hours, over which the given events are evenly
 * distributed.
 */
function facts(sums: Partial<Sums>, isReporting = true) {
  let readings: Reading[] = [];
  const total = { ...NO_SUMS, ...sums };
  const days = new Map<string, Sums>();
  for (let at = NOW - 3 * HOUR_MS; at <= NOW; at += STEP_MS) {
    const share = (at - NOW + 3 * HOUR_MS) / (3 * HOUR_MS);
    const part = { ...NO_SUMS };
    for (const key of Object.keys(total) as (keyof Sums)[]) {
      part[key] = Math.round(total[key] * share);
    }
    days.set(dayOf(at), part);
    readings = withReading(readings, days, at);
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
  ])('after %s is the expected one', (_, sums, move) => {
    expect(decide(IDLE, facts(sums))?.move).toBe(move);
  });

  test('complaints count only if the provider reports them', () => {
    expect(decide(IDLE, facts({ accepted: 1_900, complaints: 60 }, false))).toBeUndefined();
  });

  test('deferrals halve the rate of the last hour, or the limit', () => {
    const many = facts({ accepted: 1_500, throttled: 300 });
    expect(decide(IDLE, many)?.to).toMatchObject({ perHour: 300, endsAtPerHour: 1_200 });
    const limited = { ...IDLE, perHour: 400, endsAtPerHour: 900 };
    expect(decide(limited, many)?.to).toMatchObject({ perHour: 200, endsAtPerHour: 900 });
    expect(decide({ ...limited, perHour: 50 }, many)).toBeUndefined();
  });

  test('refusals pause sending; clean hours resume it at the lowest limit, and then raise the limit until it ends', () => {
    const paused = decide(IDLE, facts({ accepted: 600, failed: 300, policy: 300 }));
    expect(paused).toMatchObject({
      ...{ move: 'pause', cause: 'refusals' },
      to: { perHour: PROBES_PER_HOUR, isPaused: true },
    });
    const clean = facts({ accepted: 300 });
    const state = { ...IDLE, ...paused?.to };
    expect(decide(state, clean)).toMatchObject({ move: 'resume', to: { perHour: 50 } });
    expect(decide({ ...state, isPaused: false, perHour: 80 }, clean)).toMatchObject({
      ...{ move: 'raise', cause: 'clean', to: { perHour: 100 } },
    });
    const near = { ...IDLE, perHour: 100, endsAtPerHour: 120 };
    expect(decide(near, clean)).toMatchObject({ move: 'end', to: { perHour: null } });
    expect(decide(near, facts({ accepted: 60 }))).toBeUndefined();
    expect(decide(near, facts({ accepted: 270, throttled: 30 }))).toBeUndefined();
  });

  test('two shortfalls of opens restrict emails to engaged subscribers until opens recover', () => {
    const at = NOW - 2 * 24 * HOUR_MS;
    const opens = { level: 'act' as const, count: 900, of: 1_500, at };
    const clean = facts({ accepted: 1_900 });
    const narrowed = decide(IDLE, { ...clean, opens });
    expect(narrowed).toMatchObject({
      ...{ move: 'narrow', cause: 'opens', count: 900, of: 1_500, opensAt: at },
      to: { perHour: null, endsAtPerHour: null, isPaused: false, isEngagedOnly: true },
    });
    expect(decide(IDLE, { ...clean, opens: { ...opens, level: 'watch' } })).toBeUndefined();
    // The same campaigns do not lead to a second move, but a newer campaign does.
    const undone = { ...IDLE, opensAt: at };
    expect(decide(undone, { ...clean, opens })).toBeUndefined();
    expect(decide(undone, { ...clean, opens: { ...opens, at: at + 1 } })?.move).toBe('narrow');

    const state = { ...undone, ...narrowed?.to };
    expect(decide(state, { ...clean, opens })).toBeUndefined();
    expect(decide(state, { ...clean, opens: { ...opens, level: 'watch' } })).toBeUndefined();
    expect(decide(state, clean)).toMatchObject({ move: 'widen', to: { isEngagedOnly: false } });
  });

  test('a pause without evidence ends after a day, and sending resumes at the lowest limit', () => {
    const none = facts({ accepted: 1 });
    const after = (hours: number) => {
      const moves = [NOW - hours * HOUR_MS];
      return decide({ ...IDLE, moves, perHour: 20, endsAtPerHour: 900, isPaused: true }, none);
    };
    expect(after(23)).toBeUndefined();
    expect(after(24)).toMatchObject({ move: 'resume', to: { perHour: 50, isPaused: false } });
  });

  test('low opens do not change a limit, and refusals take precedence', () => {
    const opens = { level: 'act' as const, count: 900, of: 1_500, at: NOW - HOUR_MS };
    const limited = { ...IDLE, perHour: 400, endsAtPerHour: 900 };
    expect(decide(limited, { ...facts({ accepted: 300 }), opens })?.to).toMatchObject({
      ...{ perHour: 400, endsAtPerHour: 900, isEngagedOnly: true },
    });
    const refused = { ...facts({ accepted: 1_500, failed: 400, policy: 400 }), opens };
    expect(decide(IDLE, refused)?.move).toBe('pause');
    // A pause already sends only to engaged subscribers.
    const moves = [NOW - 2 * HOUR_MS];
    const paused = { ...IDLE, moves, perHour: 20, isPaused: true, isEngagedOnly: false };
    expect(decide(paused, { ...facts({ accepted: 1 }), opens })).toBeUndefined();
    const raised = decide(
      { ...limited, isEngagedOnly: true },
      { ...facts({ accepted: 500 }), opens },
    );
    expect(raised).toMatchObject({ move: 'raise', to: { perHour: 500, isEngagedOnly: true } });
  });

  test('moves are half an hour apart, at most four a day, and none is made before `heldUntil`', () => {
    const bad = facts({ accepted: 1_000, throttled: 900 });
    const after = (...moves: number[]) =>
      decide({ ...IDLE, moves: moves.map((ago) => NOW - ago) }, bad)?.move;
    expect(after(20 * 60_000)).toBeUndefined();
    expect(after(2 * HOUR_MS)).toBe('slow');
    expect(after(20, 15, 10)).toBeUndefined();
    expect(after(...[20, 15, 10, 2].map((hours) => hours * HOUR_MS))).toBeUndefined();
    expect(after(...[25, 15, 10, 2].map((hours) => hours * HOUR_MS))).toBe('slow');
    expect(decide({ ...IDLE, heldUntil: NOW + 1 }, bad)).toBeUndefined();
    expect(decide({ ...IDLE, heldUntil: NOW }, bad)?.move).toBe('slow');
  });

  test('for any results, `slow` lowers a limit to no less than 50, and `raise` adds at most a quarter', () => {
    const figure = fc.nat(5_000);
    const sums = fc.record({
      ...{ accepted: figure, failed: figure, throttled: figure },
      ...{ policy: figure, complaints: fc.nat(100) },
    });
    fc.assert(
      fc.property(sums, fc.option(fc.integer({ min: 20, max: 10_000 })), (some, perHour) => {
        const state = { ...IDLE, perHour, endsAtPerHour: perHour && perHour * 4 };
        const decision = decide(state, facts(some));
        if (!decision) return;
        const { move, count, of, to } = decision;
        expect(count).toBeLessThanOrEqual(Math.max(of, some.policy));
        if (move === 'raise') expect(to.perHour).toBeLessThanOrEqual((perHour ?? 0) * 1.25 + 1);
        if (move === 'slow' && perHour) expect(to.perHour).toBeLessThan(perHour);
        if (move === 'slow') expect(to.perHour).toBeGreaterThanOrEqual(50);
        expect(move === 'begin').toBe(false);
      }),
      runs(2_000, 100),
    );
  });
});

describe('simulated providers', () => {
  const VOLUME = 20_000;
  const DOMAINS = areAllRuns ? 1_000 : 100;

  test('with the autopilot, new domains reach their full volume 30 % sooner than with the fixed plan, and none is blocked', () => {
    const compared: { fixed: Outcome; pilot: Outcome }[] = [];
    for (let seed = 0; seed < DOMAINS; seed++) {
      const provider = PROVIDERS[seed % PROVIDERS.length];
      if (!provider) throw new Error('No provider');
      const fixed = simulateFixedPlan(provider, createSeededRandom(seed), VOLUME);
      const pilot = simulatePilot(provider, createSeededRandom(seed), VOLUME);
      expect(pilot.isBlocked, `${provider.name}, seed ${seed}`).toBe(false);
      expect(pilot.fullAfter).toBeDefined();
      // Domains that are blocked because of the fixed plan never reach the full volume.
      if (fixed.fullAfter !== undefined) compared.push({ fixed, pilot });
    }
    expect(compared.length).toBeGreaterThan(DOMAINS / 2);
    const sum = (of: (results: (typeof compared)[number]) => number) =>
      compared.reduce((total, results) => total + of(results), 0);
    const days = sum(({ pilot }) => pilot.fullAfter ?? 0);
    expect(days).toBeLessThanOrEqual(0.7 * sum(({ fixed }) => fixed.fullAfter ?? 0));
    expect(sum(({ pilot }) => pilot.deferred)).toBeLessThanOrEqual(
      sum(({ fixed }) => fixed.deferred),
    );
  });

  test('at a provider that refuses email above a rate, the autopilot reduces refusals by 60 % and reaches the full volume', () => {
    const refused = { without: 0, pilot: 0 };
    for (let seed = 0; seed < DOMAINS; seed++) {
      const { without, pilot } = simulateRefusals(seed, VOLUME);
      expect(pilot.fullAfter, `seed ${seed}`).toBeDefined();
      refused.without += without.refused;
      refused.pilot += pilot.refused;
    }
    expect(refused.pilot).toBeLessThanOrEqual(0.4 * refused.without);
  });

  const accepted: Weather = (_, attempts) => ({ ...NO_SUMS, accepted: attempts });
  test.each<[string, Weather]>([
    ['a healthy provider', accepted],
    [
      'a provider with a few deferrals and refusals',
      (_, attempts, random) => {
        const throttled = Math.round(attempts * 0.06 * random());
        const policy = Math.round(attempts * 0.02 * random());
        const rest = attempts - throttled - policy;
        return { ...NO_SUMS, accepted: rest, failed: policy, policy, throttled };
      },
    ],
    // Greylisting defers by recipient and not by rate, so its deferrals are not throttled attempts.
    ['greylisting', (_, attempts) => ({ ...NO_SUMS, accepted: Math.round(attempts * 0.5) })],
    [
      'an outage',
      (step, attempts, random) => (step % 288 > 100 ? NO_SUMS : accepted(step, attempts, random)),
    ],
  ])('%s leads to no move in two weeks', (_, weather) => {
    expect(simulateFortnight(weather, createSeededRandom(4))).toBe(0);
  });
});
