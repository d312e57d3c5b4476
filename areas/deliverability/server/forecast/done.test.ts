// Forecasts of when a campaign is done. Their intervals are compared with campaigns of simulated
// accounts, whose emails are sent and deferred one by one. Other tests check properties of the
// intervals that hold for any input.
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { areAllRuns } from '#testing/setup/property-runs.ts';
import { createSeededRandom } from '#areas/experiments/server/index.ts';
import { drawNormal } from './draws.ts';
import { type DoneForecast, forecastCompletion, type DoneInput } from './done.ts';
import { fitRetries, type PastRetries, WAIT_BOUNDS } from './retries.ts';
import { estimateSpeeds } from './speed.ts';

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const QUARTER = 15 * MINUTE;
const NOW = Date.UTC(2027, 2, 1, 8);
const PROVIDERS = [0, 1, 2];
const EMAILS = [6_000, 14_000, 4_000];

type Random = () => number;
/** Counts waits in the ranges of WAIT_BOUNDS. */
const countsOf = (waits: readonly number[]): number[] => {
  const counts = Array.from({ length: WAIT_BOUNDS.length + 1 }, () => 0);
  for (const wait of waits) {
    const rangeIndex = WAIT_BOUNDS.findIndex((bound) => wait < bound);
    const range = rangeIndex < 0 ? WAIT_BOUNDS.length : rangeIndex;
    counts[range] = (counts[range] ?? 0) + 1;
  }
  return counts;
};

/**
 * A simulated campaign: instants of final results by provider, first attempts by quarter of an
 * hour, and waits of deferred emails by provider.
 */
type SentCampaign = { finals: number[][]; quarters: Map<number, number>; waits: number[][] };

/**
 * Simulates an account. Speed, shares of deferred emails and waits differ between its campaigns,
 * and the speed also between quarter-hours.
 */
function simulateAccount(random: Random, size = 1) {
  const speed = Math.exp(Math.log(6) + 0.5 * drawNormal(random));
  const providers = PROVIDERS.map(() => ({
    share: 0.02 * Math.exp(1 * drawNormal(random)),
    wait: 900 * Math.exp(0.7 * drawNormal(random)),
  }));
  const emails = EMAILS.map((count) =>
    Math.max(1, Math.round(count * size * Math.exp(0.2 * drawNormal(random)))),
  );
  const send = (startsAt: number): SentCampaign => {
    const campaignSpeed = speed * Math.exp(0.2 * drawNormal(random));
    const total = emails.reduce((sum, count) => sum + count, 0);
    const starts = startsOf(startsAt, total, campaignSpeed, random);
    const quarters = new Map<number, number>();
    for (const at of starts) {
      const quarter = Math.floor(at / QUARTER) * QUARTER;
      quarters.set(quarter, (quarters.get(quarter) ?? 0) + 1);
    }
    const sentByProvider = PROVIDERS.map((mailbox) => {
      const { share, wait } = providers[mailbox] ?? { share: 0, wait: 0 };
      const deferred = Math.min(0.9, share * Math.exp(0.6 * drawNormal(random)));
      const waits = wait * Math.exp(0.4 * drawNormal(random));
      return simulateRetries(starts, emails[mailbox] ?? 0, { deferred, wait: waits }, random);
    });
    return {
      finals: sentByProvider.map(({ finals }) => finals),
      waits: sentByProvider.map(({ waits }) => waits),
      quarters,
    };
  };
  return { emails, send };
}

/** Returns the instants of first attempts, at a speed that changes every quarter of an hour. */
function startsOf(startsAt: number, total: number, speed: number, random: Random): number[] {
  const starts: number[] = [];
  for (let quarter = startsAt; starts.length < total; quarter += QUARTER) {
    const rate = (speed * Math.exp(0.1 * drawNormal(random))) / 1_000;
    for (let at = quarter; at < quarter + QUARTER && starts.length < total; at += 1 / rate) {
      starts.push(at);
    }
  }
  return starts;
}

function simulateRetries(
  starts: readonly number[],
  count: number,
  { deferred, wait }: { deferred: number; wait: number },
  random: Random,
) {
  const waits: number[] = [];
  const finals = Array.from({ length: count }, (_, index) => {
    const at = starts[Math.floor(((index + 0.5) / count) * starts.length)] ?? 0;
    if (random() >= deferred) return at;
    const waitedMs = Math.min(280_000, wait * Math.exp(1.2 * drawNormal(random)));
    waits.push(waitedMs);
    return at + waitedMs * 1_000;
  });
  return { finals, waits };
}

const doneAt = (finals: readonly number[]) =>
  [...finals].sort((a, b) => a - b)[Math.ceil(finals.length * 0.99) - 1] ?? 0;

/** Returns the input of a forecast after these campaigns, newest first. */
function createAccountInput(emails: readonly number[], past: readonly SentCampaign[]): DoneInput {
  const quarters = new Map(past.flatMap((campaign) => [...campaign.quarters]));
  const pastAt = (mailbox: number) =>
    past.map((campaign): PastRetries => {
      const { length } = campaign.finals[mailbox] ?? [];
      return { emails: length, waits: countsOf(campaign.waits[mailbox] ?? []) };
    });
  return {
    recipients: new Map(PROVIDERS.map((mailbox) => [mailbox, emails[mailbox] ?? 0])),
    startsAt: NOW,
    pace: { relays: [] },
    quarters: [...quarters]
      .map(([at, sent]) => ({ at: new Date(at), sent }))
      .sort((a, b) => a.at.getTime() - b.at.getTime()),
    retries: new Map(PROVIDERS.map((mailbox) => [mailbox, fitRetries(pastAt(mailbox))])),
  };
}

const isInside = ({ low, high }: { low: number; high: number }, at: number) =>
  at >= low && at <= high;

function coverage(campaigns: number, accounts: number, size = 1) {
  const random = createSeededRandom(campaigns * 1_000 + 7);
  const inside = { overall: 0, providers: 0, last: 0 };
  for (let number = 0; number < accounts; number += 1) {
    const { emails, send } = simulateAccount(random, size);
    const past = Array.from({ length: campaigns }, (_, rank) => send(NOW - (rank + 1) * 72 * HOUR));
    const next = send(NOW);
    const prediction = forecastCompletion(createAccountInput(emails, past), { seed: number });
    if (!prediction) throw new Error('No speed is known');
    const allFinals = next.finals.flat();
    if (isInside(prediction, doneAt(allFinals))) inside.overall += 1;
    if (allFinals.reduce((latest, at) => Math.max(latest, at), 0) <= prediction.lastRetryAt)
      inside.last += 1;
    for (const [mailbox, finals] of next.finals.entries()) {
      const interval = prediction.providers.get(mailbox);
      if (interval && isInside(interval, doneAt(finals))) inside.providers += 1 / PROVIDERS.length;
    }
  }
  return {
    overall: inside.overall / accounts,
    providers: inside.providers / accounts,
    last: inside.last / accounts,
  };
}

describe('80 % intervals', () => {
  // With 120 accounts, the standard error of a share is 3.7 %. The accounts vary slightly less than
  // the priors assume, so the intervals are slightly too wide.
  test.each(areAllRuns ? [1, 4, 12] : [4])(
    'intervals contain 75 to 88 %% of the ends after %i campaigns',
    (campaigns) => {
      const shares = coverage(campaigns, 120);
      for (const share of [shares.overall, shares.providers]) {
        expect(share).toBeGreaterThanOrEqual(0.75);
        expect(share).toBeLessThanOrEqual(0.88);
      }
      expect(shares.last).toBeGreaterThanOrEqual(0.9);
    },
  );

  test('intervals contain 77 to 94 % of the ends of short campaigns, because bounds are multiples of five minutes', () => {
    const { overall, providers } = coverage(4, areAllRuns ? 240 : 120, 0.05);
    for (const share of [overall, providers]) {
      expect(share).toBeGreaterThanOrEqual(0.77);
      expect(share).toBeLessThanOrEqual(0.94);
    }
  });

  test('intervals become narrower with the number of campaigns', () => {
    const widthAfter = (campaigns: number) => {
      const { emails, send } = simulateAccount(createSeededRandom(11));
      const past = Array.from({ length: 12 }, (_, rank) => send(NOW - (rank + 1) * 72 * HOUR));
      const testInput = createAccountInput(emails, past.slice(0, campaigns));
      const input = { ...testInput, quarters: createAccountInput(emails, past).quarters };
      const { low, high } = forecastCompletion(input, { seed: 3 }) ?? { low: 0, high: 0 };
      return (high - NOW) / (low - NOW);
    };
    expect(widthAfter(12)).toBeLessThan(widthAfter(0) / 2);
  });
});

const QUARTERS = [20, 22, 18, 21, 19].map((hundreds, index) => ({
  at: new Date(NOW - 48 * HOUR + index * QUARTER),
  sent: hundreds * 100,
}));
const knownRetries = fitRetries([
  { emails: 20_000, waits: [200, 150, 100, 80, 40, 20, 10, 5, 2, 0, 0] },
  { emails: 18_000, waits: [100, 90, 60, 40, 30, 10, 8, 2, 1, 0, 0] },
]);

const createInput = (
  recipients: Record<number, number>,
  overrides: Partial<DoneInput> = {},
): DoneInput => {
  const counts = Object.entries(recipients).map(([mailbox, n]) => [Number(mailbox), n] as const);
  return {
    recipients: new Map(counts),
    retries: new Map(counts.map(([mailbox]) => [mailbox, knownRetries])),
    ...{ startsAt: NOW, pace: { relays: [] }, quarters: QUARTERS, ...overrides },
  };
};
const listTimes = (prediction: DoneForecast | undefined) =>
  prediction ? [prediction.low, prediction.mid, prediction.high, prediction.lastRetryAt] : [NaN];

const recipientsArbitrary = fc.record({
  0: fc.integer({ min: 0, max: 40_000 }),
  1: fc.integer({ min: 1, max: 40_000 }),
});

test('intervals are ordered, do not begin before the start, and are the same for the same inputs', () => {
  fc.assert(
    fc.property(recipientsArbitrary, fc.integer(), (recipients, seed) => {
      const prediction = forecastCompletion(createInput(recipients), { seed });
      if (!prediction) throw new Error('The speed is known');
      for (const { low, mid, high } of [prediction, ...prediction.providers.values()]) {
        expect(low).toBeGreaterThanOrEqual(NOW);
        expect(mid).toBeGreaterThanOrEqual(low);
        expect(high).toBeGreaterThanOrEqual(mid);
        expect(high % (5 * MINUTE)).toBe(0);
      }
      expect(prediction.lastRetryAt).toBeGreaterThanOrEqual(prediction.high);
      expect(forecastCompletion(createInput(recipients), { seed })).toEqual(prediction);
    }),
    { numRuns: 30 },
  );
});

test('a campaign with more recipients never ends sooner if random variation between emails is off', () => {
  const count = fc.integer({ min: 1, max: 30_000 });
  fc.assert(
    fc.property(count, count, fc.integer(), (recipients, additional, seed) => {
      // Only one provider is used: with several, more emails at a fast provider would reduce the
      // share of a slow one, and the campaign could be done before the slow emails.
      const forecastTimes = (recipients: number) =>
        listTimes(forecastCompletion(createInput({ 1: recipients }), { seed, hasChance: false }));
      const [fewer, more] = [forecastTimes(recipients), forecastTimes(recipients + additional)];
      for (const [index, instant] of more.entries()) {
        expect(instant).toBeGreaterThanOrEqual(fewer[index] ?? 0);
      }
    }),
    { numRuns: 30 },
  );
});

test('a lower rate limit never ends a campaign sooner', () => {
  const createLimitedInput = (perSecond: number, recipients: Record<number, number>) => {
    const relay = {
      ...{ limits: { perSecond }, state: { credit: 1, at: NOW } },
      providers: new Map([[1, { limits: { perMinute: 300 }, state: { credit: 1, at: NOW } }]]),
    };
    return createInput(recipients, { pace: { relays: [relay] } });
  };
  fc.assert(
    fc.property(
      recipientsArbitrary,
      fc.integer({ min: 1, max: 10 }),
      fc.integer({ min: 1, max: 10 }),
      fc.integer(),
      (recipients, low, additional, seed) => {
        const slowTimes = listTimes(
          forecastCompletion(createLimitedInput(low, recipients), { seed }),
        );
        const fastTimes = listTimes(
          forecastCompletion(createLimitedInput(low + additional, recipients), { seed }),
        );
        for (const [index, instant] of slowTimes.entries()) {
          expect(instant).toBeGreaterThanOrEqual(fastTimes[index] ?? 0);
        }
      },
    ),
    { numRuns: 30 },
  );
});

test('the scale of the calibration widens and narrows the interval', () => {
  const widthAt = (scale: number) => {
    const { low, high } = forecastCompletion(createInput({ 1: 60_000 }), { seed: 4, scale }) ?? {
      low: 0,
      high: 0,
    };
    return high - low;
  };
  expect(widthAt(1.8)).toBeGreaterThan(widthAt(1));
  expect(widthAt(0.7)).toBeLessThan(widthAt(1));
});

test('a provider without past campaigns has a wide interval', () => {
  const unknown = fitRetries([undefined, { emails: 0, waits: [] }]);
  expect(unknown.isKnown).toBe(false);
  expect(knownRetries.isKnown).toBe(true);
  const retries = new Map([knownRetries, unknown].entries());
  const prediction = forecastCompletion(createInput({ 0: 20_000, 1: 20_000 }, { retries }), {
    seed: 1,
  });
  const widthAt = (mailbox: number) => {
    const { low, high } = prediction?.providers.get(mailbox) ?? { low: 0, high: 0 };
    return high - low;
  };
  expect(widthAt(1)).toBeGreaterThan(1.5 * widthAt(0));
});

test('retries are known to be rare after campaigns without deferred emails', () => {
  const model = fitRetries(Array.from({ length: 8 }, () => ({ emails: 5_000, waits: [] })));
  expect(model.isKnown).toBe(true);
  expect(Math.exp(model.share.center)).toBeLessThan(0.002);
});

describe('the estimated speed', () => {
  const speeds = (quarters: typeof QUARTERS, recipients = 10_000) =>
    estimateSpeeds(quarters, recipients, { seed: 1 });

  test('the estimated speed varies around the mean of the full quarter-hours', () => {
    const [slowest, ...faster] = speeds(QUARTERS);
    // The three full quarter-hours of the send average 2,033 emails.
    expect(slowest).toBeLessThan(2_033 / 900);
    expect(faster.at(-1)).toBeGreaterThan(2_033 / 900);
    expect(faster.at(-1)).toBeLessThan(3 * (slowest ?? 0));
  });

  test('the estimated speed of a send within one quarter-hour probably exceeds the rate of that quarter-hour', () => {
    const [slowest, ...faster] = speeds(QUARTERS.slice(0, 1));
    expect(faster.at(-1)).toBeGreaterThan(4 * (slowest ?? 0));
    expect(faster[4]).toBeGreaterThan(2_000 / 900);
  });

  test('the estimated speed is unknown if all sends were smaller than the campaign', () => {
    const smallHistory = [{ at: new Date(NOW - HOUR), sent: 400 }];
    expect(speeds([])).toEqual([]);
    expect(speeds(smallHistory, 401)).toEqual([]);
    expect(speeds(smallHistory, 400)).toHaveLength(10);
    expect(
      forecastCompletion(createInput({ 1: 401 }, { quarters: smallHistory }), { seed: 1 }),
    ).toBeUndefined();
  });

  test('the estimated speed ignores quarter-hours with few emails', () => {
    const trickle = Array.from({ length: 300 }, (_, index) => ({
      ...{ at: new Date(NOW - 200 * HOUR + index * QUARTER), sent: 40 },
    }));
    expect(speeds([...trickle, ...QUARTERS])).toEqual(speeds(QUARTERS));
  });
});
