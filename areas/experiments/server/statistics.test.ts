// Experiment statistics match values that were computed separately when they were designed.
// Simulations check how often a better variant wins, and how often an equal one does.
import { expect, test } from 'vitest';
import { areAllRuns } from '#testing/setup/property-runs.ts';
import { newcombe, wilson } from '../intervals.ts';
import { computeRanges } from '../ranges.ts';
import { isTooCoarse, suggestTestShare, computeVisibleDifference } from '../visible-difference.ts';
import { findEarlyWinner, computeLogEvidence, SPLIT_THRESHOLD } from './evidence.ts';
import { computeFinalVerdict } from './final-verdict.ts';
import { computeIncrementalEffect } from './incremental-effect.ts';
import { runPermutationTest, computeRevenueVerdict, createSeededRandom } from './revenue.ts';

const SEED = areAllRuns ? Math.floor(Math.random() * 1e9) : 40;
const pickCount = (shortCount: number, fullCount: number) => (areAllRuns ? fullCount : shortCount);

test('computed evidence matches separately computed values', () => {
  expect(computeLogEvidence(600, 480, 0.5)).toBeCloseTo(4.8811, 4);
  expect(computeLogEvidence(700, 400, 0.6)).toBeCloseTo(1.5777, 4);
  expect(computeLogEvidence(0, 0, 0.3)).toBeCloseTo(0, 10);
  expect(computeLogEvidence(5, 3, 0)).toBe(0);
});

test('the leader wins early only if the evidence suffices against every other variant', () => {
  const n = 5_000;
  const variantsWith = (...actedCounts: number[]) =>
    actedCounts.map((count) => ({ accepted: n, acted: count }));
  expect(findEarlyWinner(variantsWith(600, 480))).toBe(0);
  expect(findEarlyWinner(variantsWith(480, 600))).toBe(1);
  expect(findEarlyWinner(variantsWith(480, 600, 590))).toBeUndefined();
  expect(findEarlyWinner(variantsWith(500, 500))).toBeUndefined();
  expect(findEarlyWinner(variantsWith(0, 0))).toBeUndefined();
  expect(findEarlyWinner(variantsWith(600))).toBeUndefined();
  expect(findEarlyWinner([])).toBeUndefined();
  expect(
    findEarlyWinner([
      { accepted: 0, acted: 0 },
      { accepted: n, acted: 900 },
    ]),
  ).toBeUndefined();
  // Equal rates in groups of different sizes are not a lead.
  expect(
    findEarlyWinner([
      { accepted: 6_000, acted: 1_320 },
      { accepted: 4_000, acted: 880 },
    ]),
  ).toBeUndefined();
});

test('proportion intervals match published values', () => {
  // Newcombe 1998, comparison (a) of method 10: 56/70 against 48/80.
  const { low, high } = newcombe({ accepted: 70, acted: 56 }, { accepted: 80, acted: 48 });
  expect(low).toBeCloseTo(0.0524, 4);
  expect(high).toBeCloseTo(0.3339, 4);
  // Wilson's interval of 81/263, Newcombe 1998.
  expect(wilson({ accepted: 263, acted: 81 }).low).toBeCloseTo(0.2553, 4);
  expect(wilson({ accepted: 263, acted: 81 }).high).toBeCloseTo(0.3662, 4);
  expect(wilson({ accepted: 0, acted: 0 })).toEqual({ low: 0, high: 1 });
  expect(wilson({ accepted: 10, acted: 12 }).high).toBeCloseTo(1, 10);
});

test('the final verdict is consistent with its interval', () => {
  const clear = computeFinalVerdict([
    { accepted: 5_000, acted: 1_105 },
    { accepted: 5_000, acted: 1_245 },
  ]);
  expect(clear).toMatchObject({ winner: 1, leader: 1, runnerUp: 0 });
  expect(clear.difference).toBeCloseTo(0.028, 6);
  expect(clear.interval.low).toBeGreaterThan(0);
  const close = computeFinalVerdict([
    { accepted: 5_000, acted: 1_105 },
    { accepted: 5_000, acted: 1_135 },
  ]);
  expect(close).toMatchObject({ winner: undefined, leader: 1, runnerUp: 0 });
  expect(close.interval.low).toBeLessThan(0);
});

test('the final verdict ignores variants without accepted messages', () => {
  const emptyVariant = { accepted: 0, acted: 0 };
  const variant = { accepted: 5_000, acted: 1_300 };
  expect(computeFinalVerdict([emptyVariant, variant])).toMatchObject({
    winner: undefined,
    leader: undefined,
  });
  expect(
    computeFinalVerdict([emptyVariant, variant, { accepted: 5_000, acted: 900 }]),
  ).toMatchObject({
    winner: 1,
    runnerUp: 2,
  });
  expect(computeFinalVerdict([variant, variant])).toMatchObject({
    winner: undefined,
    leader: 0,
    runnerUp: 1,
  });
});

/** Draws a standard normal number by the method of Box and Muller. */
const normal = (random: () => number) =>
  Math.sqrt(-2 * Math.log(1 - random())) * Math.cos(2 * Math.PI * random());

interface Run {
  people: number[];
  rates: number[];
  seed: number;
}

const MINUTE = 1 / 60;

/** Simulates a 24-hour test checked every five minutes, like the experiment poller. */
function simulate({ people, rates, seed }: Run): { early?: number; final?: number } {
  const random = createSeededRandom(seed);
  // The hours until a recipient opens are lognormal, with a median of two.
  const opens = people.map((count, index) =>
    Array.from({ length: count }, () =>
      random() < (rates[index] ?? 0) ? 2 * Math.exp(1.5 * normal(random)) : Infinity,
    )
      .filter((hours) => hours <= 24)
      .sort((a, b) => a - b),
  );
  const next = people.map(() => 0);
  const countUntil = (until: number) =>
    people.map((accepted, index) => {
      const list = opens[index] ?? [];
      let at = next[index] ?? 0;
      while ((list[at] ?? Infinity) <= until) at += 1;
      next[index] = at;
      return { accepted, acted: at };
    });
  for (let hours = 5 * MINUTE; hours < 24; hours += 5 * MINUTE) {
    const winner = findEarlyWinner(countUntil(hours));
    if (winner !== undefined) return { early: winner };
  }
  const final = computeFinalVerdict(countUntil(24)).winner;
  return final === undefined ? {} : { final };
}

function computeWinShares(count: number, run: Omit<Run, 'seed'>): { early: number; final: number } {
  const results = Array.from({ length: count }, (_, at) =>
    simulate({ ...run, seed: SEED + at * 7_919 }),
  );
  const computeShare = (kind: 'early' | 'final') =>
    results.filter((result) => result[kind] !== undefined).length / count;
  return { early: computeShare('early'), final: computeShare('final') };
}

test('variants with the same content rarely win', () => {
  const count = pickCount(400, 4_000);
  for (const people of [
    [1_000, 1_000],
    [1_200, 800],
    [700, 700, 700, 700],
  ]) {
    const rates = people.map(() => 0.22);
    const { early, final } = computeWinShares(count, { people, rates });
    // By design, 1 % win early and 4 % at the end; the limits add four standard errors of the
    // simulation.
    expect(early).toBeLessThanOrEqual(0.01 + 4 * Math.sqrt((0.01 * 0.99) / count));
    expect(early + final).toBeLessThanOrEqual(0.05 + 4 * Math.sqrt((0.05 * 0.95) / count));
  }
});

test('two equally good variants among worse ones rarely win', () => {
  const count = pickCount(200, 2_000);
  const people = Array.from({ length: 6 }, () => 800);
  const { early, final } = computeWinShares(count, {
    people,
    rates: [0.25, 0.25, 0.2, 0.2, 0.2, 0.2],
  });
  expect(early + final).toBeLessThanOrEqual(0.05 + 4 * Math.sqrt((0.05 * 0.95) / count));
});

test('a variant that is better by a fifth wins, mostly early', () => {
  const { early, final } = computeWinShares(pickCount(60, 1_000), {
    people: [5_000, 5_000],
    rates: [0.22, 0.264],
  });
  expect(early + final).toBeGreaterThan(0.95);
  expect(early).toBeGreaterThan(0.7);
});

test('a workflow split finds a better path and rarely prefers an equally good path', () => {
  const count = pickCount(150, 2_000);
  const computeWinRate = (rates: [number, number], arrivals: number) => {
    let winCount = 0;
    for (let run = 0; run < count; run += 1) {
      const random = createSeededRandom(SEED + run * 104_729);
      const actedCounts = [0, 0] as [number, number];
      for (let arrival = 1; arrival <= arrivals; arrival += 1) {
        const path = random() < 0.5 ? 0 : 1;
        if (random() < rates[path]) actedCounts[path] += 1;
        if (arrival % 50 > 0) continue;
        const shares = [0, 1].map((at) => ({ accepted: 50, acted: actedCounts[at] ?? 0 }));
        if (findEarlyWinner(shares, SPLIT_THRESHOLD) === undefined) continue;
        winCount += 1;
        break;
      }
    }
    return winCount / count;
  };
  expect(computeWinRate([0.22, 0.22], 10_000)).toBeLessThanOrEqual(
    0.05 + 4 * Math.sqrt((0.05 * 0.95) / count),
  );
  expect(computeWinRate([0.22, 0.264], 10_000)).toBeGreaterThan(0.9);
});

/** Draws buyers at the given rate, with lognormal order amounts. */
function drawRevenue(subscriberCount: number, rate: number, random: () => number, factor = 1) {
  const amounts = Array.from({ length: subscriberCount }, () => random())
    .filter((draw) => draw < rate)
    .map(() => Math.round(4_000 * factor * Math.exp(0.9 * normal(random))));
  return { subscriberCount, amounts };
}

test('a variant with the same revenue rarely wins, and one with more revenue usually does', () => {
  const count = pickCount(40, 1_000);
  const computeRevenueWinRate = (factor: number) => {
    let winCount = 0;
    for (let run = 0; run < count; run += 1) {
      const random = createSeededRandom(SEED + run * 15_485_863);
      const variants = [drawRevenue(2_000, 0.04, random), drawRevenue(2_000, 0.04, random, factor)];
      if (computeRevenueVerdict(variants, { cap: 40_000, seed: run }).winner !== undefined)
        winCount += 1;
    }
    return winCount / count;
  };
  expect(computeRevenueWinRate(1)).toBeLessThanOrEqual(0.05 + 4 * Math.sqrt((0.05 * 0.95) / count));
  expect(computeRevenueWinRate(2.5)).toBeGreaterThan(0.85);
});

test('the verdict on revenue is reproducible, requires buyers, and caps amounts', () => {
  const random = createSeededRandom(SEED);
  const [a, b] = [drawRevenue(2_000, 0.03, random), drawRevenue(2_000, 0.03, random, 1.5)];
  expect(runPermutationTest(a, b, 7)).toBe(runPermutationTest(a, b, 7));
  expect(runPermutationTest(a, a, 7)).toBeGreaterThan(0.9);
  const fewBuyers = { subscriberCount: 2_000, amounts: Array.from({ length: 29 }, () => 100_000) };
  expect(computeRevenueVerdict([fewBuyers, b], { seed: 1 })).toMatchObject({
    winner: undefined,
    leader: undefined,
  });
  // A single order of a million does not decide the result once it is capped.
  const equalAmounts = Array.from({ length: 60 }, () => 5_000);
  const outlierAmounts = [...equalAmounts.slice(1), 1e8];
  const verdict = computeRevenueVerdict(
    [
      { subscriberCount: 2_000, amounts: equalAmounts },
      { subscriberCount: 2_000, amounts: outlierAmounts },
    ],
    { cap: 20_000, seed: 1 },
  );
  expect(verdict.winner).toBeUndefined();
  expect(verdict.difference).toBeCloseTo(15_000 / 2_000, 6);
});

test('the effect of sending compares all selected subscribers with the holdout', () => {
  const createBuyers = (count: number, amount: number) =>
    Array.from({ length: count }, () => amount);
  const effect = computeIncrementalEffect(
    { subscriberCount: 180_000, amounts: createBuyers(2_160, 5_000) },
    { subscriberCount: 20_000, amounts: createBuyers(180, 5_000) },
  );
  expect(effect?.buyers.difference).toBeCloseTo(0.003, 6);
  expect(effect?.buyers.isClear).toBe(true);
  expect(effect?.revenue.difference).toBeCloseTo(15, 6);
  expect(effect?.revenue.interval.low).toBeGreaterThan(0);
  const smallEffect = computeIncrementalEffect(
    { subscriberCount: 900, amounts: createBuyers(11, 5_000) },
    { subscriberCount: 100, amounts: createBuyers(1, 5_000) },
  );
  expect(smallEffect?.buyers.isClear).toBe(false);
  expect(
    computeIncrementalEffect(
      { subscriberCount: 0, amounts: [] },
      { subscriberCount: 5, amounts: [] },
    ),
  ).toBeUndefined();
});

test('the detectable difference grows with the number of variants, and the suggested test share is the smallest sufficient one', () => {
  // 2.9 · √(2 · 0.2 · 0.8 / 5,000) is 2.3 percentage points.
  expect(computeVisibleDifference(2, 5_000, 0.2)).toBeCloseTo(0.0232, 4);
  expect(computeVisibleDifference(8, 5_000, 0.2)).toBeCloseTo(0.0296, 4);
  expect(computeVisibleDifference(2, 0, 0.2)).toBe(1);
  const share = suggestTestShare(50_000, 2, 0.2) ?? 0;
  expect(isTooCoarse(2, (50_000 * share) / 200, 0.2)).toBe(false);
  expect(isTooCoarse(2, (50_000 * (share - 1)) / 200, 0.2)).toBe(true);
  expect(suggestTestShare(150, 2, 0.9)).toBeUndefined();
  expect(suggestTestShare(50_000, 2, 0.2, share - 1)).toBeUndefined();
});

test('ranges cover every bucket once', () => {
  for (const variants of [2, 3, 7, 8]) {
    for (const [testShare, holdoutShare] of [
      [20, 10],
      [100, 0],
      [1, 20],
      [95, 20],
      [33, 1],
    ] as const) {
      const ranges = computeRanges({ variants, testShare, holdoutShare });
      const allRanges = [...ranges.variants, ranges.rest, ranges.holdout];
      expect(allRanges.map(({ from }) => from)).toEqual([
        0,
        ...allRanges.slice(0, -1).map(({ to }) => to),
      ]);
      expect(allRanges.at(-1)?.to).toBe(10_000);
      const sizes = ranges.variants.map(({ from, to }) => to - from);
      expect(Math.max(...sizes) - Math.min(...sizes)).toBeLessThanOrEqual(1);
      expect(ranges.holdout.to - ranges.holdout.from).toBe(holdoutShare * 100);
    }
  }
});
