// Forecasts for synthetic accounts: the intervals contain the promised share of results, and depend
// only on their inputs.
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { createSeededRandom } from '#areas/experiments/server/index.ts';
import { MAILBOXES } from '#areas/subscribers/shared.ts';
import { METRICS, type ForecastMetric } from '../../forecast-shared.ts';
import { type ForecastOutcome, computeScale, computeScales } from './calibration.ts';
import type { AudienceRow } from './cells.sql.ts';
import { drawNormal, drawPoisson, drawStudent, type ForecastInterval } from './draws.ts';
import {
  type AudienceCell,
  fitModel,
  computeMean,
  type PastCell,
  predictInterval,
} from './estimate.ts';
import { computeForecast, type History } from './forecast.ts';
import { encodeCell, getDefaultRate, SPREADS } from './rates.ts';
import { predictRevenue, sampleAmounts } from './revenue.ts';

const NO_EVENTS = Object.fromEntries(METRICS.map((metric) => [metric, 0])) as Record<
  ForecastMetric,
  number
>;
const AUDIENCE_CELLS = [0, 1, 2].flatMap((mailbox) =>
  [0, 1, 2, 3, 4, 5].map((band) => encodeCell(mailbox, band)),
);

/** Simulates an account that differs from the defaults. Its campaigns differ from each other. */
function simulateAccount(metric: ForecastMetric, random: () => number) {
  const { tau, sigma } = SPREADS[metric];
  const level = tau * drawNormal(random);
  const factors = new Map(AUDIENCE_CELLS.map((cell) => [cell, Math.exp(0.3 * drawNormal(random))]));
  const recipients = new Map(
    AUDIENCE_CELLS.map((cell) => [cell, Math.round(100 * Math.exp(1.2 * drawNormal(random)))]),
  );
  const send = (): PastCell[] => {
    const campaign = Math.exp(level + sigma * drawNormal(random));
    return AUDIENCE_CELLS.map((cell) => {
      const recipientCount = Math.round(
        (recipients.get(cell) ?? 0) * Math.exp(0.2 * drawNormal(random)),
      );
      const mean =
        recipientCount * getDefaultRate(metric, cell) * (factors.get(cell) ?? 1) * campaign;
      return {
        ...NO_EVENTS,
        cell,
        recipients: recipientCount,
        [metric]: Math.min(recipientCount, drawPoisson(random, mean)),
      };
    });
  };
  return { send };
}

const totalOf = (cells: readonly PastCell[], metric: ForecastMetric) =>
  cells.reduce((sum, cell) => sum + cell[metric], 0);

const isInside = ({ low, high }: ForecastInterval, value: number) => value >= low && value <= high;

function coverage(metric: ForecastMetric, campaigns: number, accounts: number): number {
  const random = createSeededRandom(campaigns * 1_000 + METRICS.indexOf(metric));
  let inside = 0;
  for (let number = 0; number < accounts; number += 1) {
    const { send } = simulateAccount(metric, random);
    const past = Array.from({ length: campaigns }, send);
    const next = send();
    const interval = predictInterval(fitModel(metric, past), next, { seed: number });
    if (isInside(interval, totalOf(next, metric))) inside += 1;
  }
  return inside / accounts;
}

describe('80 % intervals', () => {
  const COUNTED_METRICS: ForecastMetric[] = ['opens', 'clicks', 'unsubscribes', 'bounces'];

  const computeMeanOfAll = (shares: readonly number[]) =>
    shares.reduce((sum, share) => sum + share, 0) / shares.length;
  const coverageByCampaigns = new Map<number, number[]>();
  const computeSharesAfter = (campaigns: number) => {
    const shares =
      coverageByCampaigns.get(campaigns) ??
      COUNTED_METRICS.map((metric) => coverage(metric, campaigns, 120));
    coverageByCampaigns.set(campaigns, shares);
    return shares;
  };

  test.each([4, 12])(
    'intervals contain 75 to 89 %% of the results after %i campaigns, as a mean of the metrics',
    (campaigns) => {
      const shares = computeSharesAfter(campaigns);
      expect(computeMeanOfAll(shares)).toBeGreaterThanOrEqual(0.75);
      expect(computeMeanOfAll(shares)).toBeLessThanOrEqual(0.89);
      for (const share of shares) expect(share).toBeGreaterThanOrEqual(0.7);
    },
  );

  test('intervals contain 75 to 85 % of the results after four and twelve campaigns together', () => {
    const allShares = [4, 12].flatMap(computeSharesAfter);
    expect(computeMeanOfAll(allShares)).toBeGreaterThanOrEqual(0.75);
    expect(computeMeanOfAll(allShares)).toBeLessThanOrEqual(0.85);
  });

  test('intervals without past campaigns are wide and contain at least 76 % of the results', () => {
    for (const metric of COUNTED_METRICS) {
      expect(coverage(metric, 0, 150)).toBeGreaterThanOrEqual(0.76);
    }
    const cells = [{ cell: encodeCell(1, 0), recipients: 10_000 }];
    const { low, high } = predictInterval(fitModel('clicks', []), cells, { seed: 1 });
    expect(high / low).toBeGreaterThan(4);
  });

  test('intervals become narrower with the number of campaigns', () => {
    const computeWidthAfter = (campaigns: number) => {
      const random = createSeededRandom(5);
      const { send } = simulateAccount('opens', random);
      const past = Array.from({ length: 12 }, send).slice(0, campaigns);
      const { low, mid, high } = predictInterval(fitModel('opens', past), send(), { seed: 2 });
      return (high - low) / mid;
    };
    expect(computeWidthAfter(12)).toBeLessThan(computeWidthAfter(0) / 2);
  });
});

const cellsArbitrary = fc.array(
  fc.record({
    cell: fc.constantFrom(...AUDIENCE_CELLS),
    recipients: fc.integer({ min: 0, max: 100_000 }),
    share: fc.double({ min: 0, max: 1, noNaN: true }),
  }),
  { maxLength: 12 },
);
const toPastCells = (
  cells: readonly { cell: number; recipients: number; share: number }[],
): PastCell[] =>
  cells.map(({ cell, recipients, share }) => {
    const subset = Math.round(recipients * share);
    return {
      ...NO_EVENTS,
      cell,
      recipients,
      opens: subset,
      clicks: subset,
      bounces: recipients - subset,
    };
  });

test('intervals are ordered, within the audience, and the same for the same inputs', () => {
  fc.assert(
    fc.property(
      fc.array(cellsArbitrary, { maxLength: 6 }),
      cellsArbitrary,
      fc.constantFrom(...METRICS),
      fc.integer(),
      (past, audience, metric, seed) => {
        const model = fitModel(metric, past.map(toPastCells));
        const interval = predictInterval(model, audience, { seed });
        const recipients = audience.reduce((sum, cell) => sum + cell.recipients, 0);
        expect(interval.low).toBeGreaterThanOrEqual(0);
        expect(interval.low).toBeLessThanOrEqual(interval.mid);
        expect(interval.mid).toBeLessThanOrEqual(interval.high);
        expect(interval.high).toBeLessThanOrEqual(recipients);
        expect(
          predictInterval(fitModel(metric, past.map(toPastCells)), audience, { seed }),
        ).toEqual(interval);
      },
    ),
    { numRuns: 60 },
  );
});

test('an empty audience has a forecast of zero', () => {
  expect(predictInterval(fitModel('opens', []), [], { seed: 1 })).toEqual({
    low: 0,
    mid: 0,
    high: 0,
  });
});

test('draws have the mean and the spread of their distributions', () => {
  const random = createSeededRandom(3);
  const draws = (draw: () => number) => Array.from({ length: 20_000 }, draw);
  const computeMeanValue = (values: number[]) =>
    values.reduce((sum, value) => sum + value, 0) / values.length;
  const computeVariance = (values: number[]) =>
    computeMeanValue(values.map((value) => (value - computeMeanValue(values)) ** 2));
  for (const expected of [0.5, 20, 400]) {
    const counts = draws(() => drawPoisson(random, expected));
    expect(Math.abs(computeMeanValue(counts) / expected - 1)).toBeLessThan(0.03);
  }
  expect(Math.abs(computeVariance(draws(() => drawNormal(random))) - 1)).toBeLessThan(0.05);
  // The variance of Student's distribution is ν / (ν − 2).
  expect(Math.abs(computeVariance(draws(() => drawStudent(random, 12))) - 1.2)).toBeLessThan(0.1);
});

describe('the scale of the spread', () => {
  const createOutcomes = (inside: number, count = 20): ForecastOutcome[] =>
    Array.from({ length: count }, (_, index) => ({
      interval: { low: 1, mid: 2, high: 3 },
      truth: index < inside ? 2 : 9,
    }));

  test('the scale changes after 20 results if too few or too many of them are in the forecast intervals', () => {
    expect(computeScale(createOutcomes(0, 19))).toBe(1);
    expect(computeScale(createOutcomes(16))).toBe(1);
    expect(computeScale(createOutcomes(10))).toBeCloseTo(1.15);
    expect(computeScale(createOutcomes(20))).toBeCloseTo(0.9);
    expect(computeScale([...createOutcomes(10), ...createOutcomes(16)])).toBeCloseTo(1.15);
  });

  test('the scale for campaign ends uses only forecasts whose predicted and actual ends are known', () => {
    const formatInstant = (minutes: number) =>
      new Date(1_800_000_000_000 + minutes * 60_000).toISOString();
    const forecast = computeForecast(
      [],
      { past: [], waits: [], revenue: [], reportingMailboxes: new Set(), scales: {} },
      { asOf: new Date(), seed: 1 },
    );
    const compareDone = (low: number | null, high: number | null, actual: number | null) => {
      const toInstant = (minutes: number | null) =>
        minutes === null ? null : formatInstant(minutes);
      const times = {
        low: toInstant(low),
        mid: toInstant(high),
        high: toInstant(high),
        last: null,
      };
      const done = { ...times, limit: 'speed', retries: 'past' } as const;
      const counts = {
        people: 0,
        delivered: 0,
        opens: 0,
        clicks: 0,
        unsubscribes: 0,
        bounces: 0,
      };
      const truth = { ...counts, complaints: null, revenue: [], done: toInstant(actual) };
      return { forecast: { ...forecast, done }, truth };
    };
    const scaleOf = (outcome: ReturnType<typeof compareDone>) =>
      computeScales(Array.from({ length: 20 }, () => outcome)).done;
    expect(scaleOf(compareDone(10, 20, 15))).toBeCloseTo(0.9);
    expect(scaleOf(compareDone(10, 20, 25))).toBeCloseTo(1.15);
    // Null means that the bound lies beyond the 30-day replay.
    expect(scaleOf(compareDone(10, null, 25))).toBeCloseTo(0.9);
    expect(scaleOf(compareDone(null, null, 25))).toBe(1);
    expect(scaleOf(compareDone(10, 20, null))).toBe(1);
  });

  test('the scale is between 0.7 and 1.8', () => {
    expect(computeScale(Array.from({ length: 30 }, () => createOutcomes(0)).flat())).toBe(1.8);
    expect(computeScale(Array.from({ length: 30 }, () => createOutcomes(20)).flat())).toBe(0.7);
  });
});

describe('the forecast of an audience', () => {
  const createRow = (
    mailbox: number,
    band: number,
    inactive: number,
    recipients: number,
  ): AudienceRow => ({
    ...{ mailbox, band, inactive, recipients },
  });
  const options = { asOf: new Date('2027-03-01T08:00:00Z'), seed: 7 };
  const createHistory = (past: PastCell[][], reporting: number[] = []): History => ({
    ...{ past, waits: [], revenue: [], reportingMailboxes: new Set(reporting), scales: {} },
  });

  test('suggests excluding inactive subscribers who bounce and rarely click', () => {
    const past = Array.from({ length: 8 }, () => [
      {
        ...NO_EVENTS,
        cell: encodeCell(1, 0),
        recipients: 9_000,
        opens: 4_000,
        clicks: 900,
        bounces: 9,
      },
      {
        ...NO_EVENTS,
        cell: encodeCell(1, 4),
        recipients: 3_000,
        opens: 30,
        clicks: 2,
        bounces: 60,
      },
    ]);
    const rows = [createRow(1, 0, 0, 9_000), createRow(1, 4, 3, 3_000)];
    const { suggestions } = computeForecast(rows, createHistory(past), options);
    // All inactive subscribers were inactive for a year, so six and three months exclude the same
    // ones.
    expect(suggestions).toHaveLength(1);
    expect(suggestions[0]).toMatchObject({ months: 12, people: 3_000, complaints: null });
    expect(suggestions[0]?.clicks).toBeLessThan(0.02);
    expect(suggestions[0]?.bounces).toBeGreaterThan(0.5);
    const active = computeForecast([createRow(1, 0, 0, 9_000)], createHistory(past), options);
    expect(active.suggestions).toEqual([]);
  });

  test('counts complaints only at mailbox providers that report them', () => {
    const past = Array.from({ length: 6 }, () => [
      { ...NO_EVENTS, cell: encodeCell(3, 0), recipients: 1_000, complaints: 4 },
      { ...NO_EVENTS, cell: encodeCell(1, 0), recipients: 9_000 },
    ]);
    const rows = [createRow(1, 0, 0, 9_000), createRow(3, 0, 0, 1_000)];
    const silent = computeForecast(rows, createHistory(past), options);
    expect(silent.metrics.complaints).toBeNull();
    expect(silent.silent).toEqual(['gmail', 'yahoo']);
    const prediction = computeForecast(rows, createHistory(past, [3]), options);
    expect(prediction.silent).toEqual(['gmail']);
    expect(prediction.metrics.complaints?.high).toBeLessThan(20);
    expect(prediction.metrics.complaints?.high).toBeGreaterThan(3);
    const [gmail, yahoo] = prediction.mailboxes;
    expect(gmail).toMatchObject({ mailbox: 'gmail', people: 9_000 });
    expect(gmail?.metrics.complaints).toBeNull();
    expect(yahoo?.metrics.complaints).toEqual(prediction.metrics.complaints);
  });

  test('delivered and bounced emails of a forecast add up to the audience', () => {
    const { metrics, people } = computeForecast(
      [createRow(0, 5, 3, 4_000)],
      createHistory([]),
      options,
    );
    expect(metrics.delivered.low + metrics.bounces.high).toBe(people);
    expect(metrics.delivered.mid + metrics.bounces.mid).toBe(people);
  });
});

test('cells with many campaigns use rates of their own campaigns', () => {
  const past = Array.from({ length: 20 }, () => [
    { ...NO_EVENTS, cell: encodeCell(1, 0), recipients: 10_000, clicks: 100 },
    { ...NO_EVENTS, cell: encodeCell(2, 0), recipients: 10_000, clicks: 1_000 },
  ]);
  const model = fitModel('clicks', past);
  const computeRate = (cells: AudienceCell[]) => computeMean(model, cells) * Math.exp(model.level);
  const [low, high] = [1, 2].map((mailbox) =>
    computeRate([{ cell: encodeCell(mailbox, 0), recipients: 10_000 }]),
  );
  expect((high ?? 0) / (low ?? 1)).toBeGreaterThan(8);
  expect(Math.abs((low ?? 0) / 100 - 1)).toBeLessThan(0.15);
});

test('a host without campaigns uses the rate of `other`, where its emails were counted before', () => {
  const otherCell = encodeCell(MAILBOXES.other, 0);
  const host = encodeCell(MAILBOXES.microsoft365, 0);
  const past = Array.from({ length: 20 }, () => [
    { ...NO_EVENTS, cell: otherCell, recipients: 10_000, clicks: 100 },
    { ...NO_EVENTS, cell: encodeCell(MAILBOXES.gmail, 0), recipients: 10_000, clicks: 1_000 },
  ]);
  const forecastIn = (cells: PastCell[][], cell: number) =>
    predictInterval(fitModel('clicks', cells), [{ cell, recipients: 10_000 }], { seed: 1 });
  expect(forecastIn(past, host)).toEqual(forecastIn(past, otherCell));
  // The host's own campaigns replace this rate.
  const pastWithHost = past.map((cells) => [
    ...cells,
    { ...NO_EVENTS, cell: host, recipients: 10_000, clicks: 900 },
  ]);
  expect(forecastIn(pastWithHost, host).low).toBeGreaterThan(
    2 * forecastIn(pastWithHost, otherCell).mid,
  );
});

test('revenue is forecast for each currency with at least 30 orders', () => {
  const past = Array.from({ length: 10 }, () => [
    { ...NO_EVENTS, cell: encodeCell(1, 0), recipients: 10_000, orders: 22 },
  ]);
  const model = fitModel('orders', past);
  const cells = [{ cell: encodeCell(1, 0), recipients: 10_000 }];
  const revenueRows = Array.from({ length: 10 }, () => [
    { currency: 'NOK', orders: 20, amounts: Array.from({ length: 20 }, (_, i) => 100 + i * 20) },
    { currency: 'EUR', orders: 2, amounts: [10, 20] },
  ]);
  const [revenue, ...others] = predictRevenue(model, cells, revenueRows, { seed: 1 });
  expect(others).toEqual([]);
  expect(revenue?.currency).toBe('NOK');
  expect(isInside(revenue?.orders as ForecastInterval, 20)).toBe(true);
  // The expected revenue is 20 orders of 290 on average.
  expect(isInside(revenue?.amount as ForecastInterval, 20 * 290)).toBe(true);
  expect(predictRevenue(model, cells, revenueRows.slice(0, 1), { seed: 1 })).toEqual([]);
  expect(sampleAmounts(Array.from({ length: 1_000 }, (_, i) => i))).toHaveLength(200);
});
