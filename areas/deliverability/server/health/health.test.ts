// The health of a domain: limits require evidence, alarms end after two days, and a domain with too
// little data is never good.
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import {
  computeDomainHealth,
  type DomainHealthState,
  listNewCauses,
  computeHealth,
  RULES,
  type Volume,
} from './health.ts';

const NOW = new Date('2026-06-01T12:00:00Z');
const addHours = (hours: number) => new Date(NOW.getTime() + hours * 3_600_000);
const createVolume = (changes: Partial<Volume>): Volume => ({
  ...{ accepted: 0, failed: 0, waiting: 0, hard: 0, policy: 0, complaints: 0 },
  isReporting: true,
  ...changes,
});
const summary = ({ state, causes }: DomainHealthState) => [
  state,
  ...causes.map(({ cause, level }) => `${cause}: ${level}`),
];

describe('the state of a domain at a mailbox provider', () => {
  test.each([
    ['no emails', {}, ['no_data']],
    ['too few emails', { accepted: 199, hard: 60 }, ['no_data']],
    ['delivered emails', { accepted: 5_000 }, ['good']],
    // 4 of 200 emails are 2 %, which is not evidence of more than 2 %.
    ['bounces at the limit', { accepted: 196, failed: 4, hard: 4 }, ['good']],
    [
      'bounces above the limit',
      { accepted: 1_940, failed: 60, hard: 60 },
      ['watch', 'bounces: watch'],
    ],
    ['many bounces', { accepted: 1_800, failed: 200, hard: 200 }, ['act', 'bounces: act']],
    // Late bounces belong to emails that are older than the counted ones.
    ['more bounces than emails', { accepted: 250, hard: 300 }, ['act', 'bounces: act']],
    ['refusals', { accepted: 700, failed: 300, policy: 300 }, ['act', 'refusals: act']],
    ['waiting copies', { accepted: 500, waiting: 500 }, ['act', 'waiting: act']],
    ['complaints', { accepted: 10_000, complaints: 20 }, ['watch', 'complaints: watch']],
    ['many complaints', { accepted: 10_000, complaints: 60 }, ['act', 'complaints: act']],
    ['complaints about few emails', { accepted: 900, complaints: 30 }, ['good']],
    [
      'complaints without reports of the provider',
      { accepted: 10_000, complaints: 60, isReporting: false },
      ['good'],
    ],
  ] as const)('the state after $0 is $2', (_, changes, expected) => {
    expect(summary(computeHealth(undefined, createVolume(changes), NOW))).toEqual(expected);
  });

  test('a bounce share is at most 100 %', () => {
    const { causes } = computeHealth(undefined, createVolume({ accepted: 250, hard: 300 }), NOW);
    expect(causes).toMatchObject([{ cause: 'bounces', count: 250, of: 250 }]);
  });

  test('an alarm ends after two days below three quarters of its threshold', () => {
    const createBounces = (hard: number) =>
      createVolume({ accepted: 1_000 - hard, failed: hard, hard });
    const initial = computeHealth(undefined, createBounces(100), NOW);
    expect(summary(initial)).toEqual(['act', 'bounces: act']);
    // The rate is below the limit, but not below three quarters of it.
    const nearLimit = computeHealth(initial, createBounces(45), addHours(1));
    expect(summary(nearLimit)).toEqual(['act', 'bounces: act']);
    const lowHealth = computeHealth(nearLimit, createBounces(5), addHours(2));
    expect(summary(lowHealth)).toEqual(['act', 'bounces: act']);
    const interruptedHealth = computeHealth(lowHealth, createBounces(45), addHours(40));
    const resumedHealth = computeHealth(interruptedHealth, createBounces(5), addHours(41));
    expect(summary(computeHealth(resumedHealth, createBounces(5), addHours(60)))).toEqual([
      'act',
      'bounces: act',
    ]);
    const endedHealth = computeHealth(resumedHealth, createBounces(5), addHours(90));
    expect(summary(endedHealth)).toEqual(['good']);
    expect(endedHealth.since).toBe(addHours(90).toISOString());
    expect(nearLimit.causes[0]?.since).toBe(NOW.toISOString());
    // A rate between the limits leads to `watch`.
    expect(summary(computeHealth(resumedHealth, createBounces(35), addHours(90)))).toEqual([
      'watch',
      'bounces: watch',
    ]);
    // The alarm also ends without emails, but then the state is unknown.
    const silentHealth = computeHealth(initial, createVolume({}), addHours(1));
    expect(summary(silentHealth)).toEqual(['act', 'bounces: act']);
    expect(summary(computeHealth(silentHealth, createVolume({}), addHours(60)))).toEqual([
      'no_data',
    ]);
  });

  test('only new or worse causes are announced', () => {
    const watch = computeHealth(undefined, createVolume({ accepted: 10_000, complaints: 20 }), NOW);
    const actHealth = computeHealth(
      watch,
      createVolume({ accepted: 10_000, complaints: 60 }),
      addHours(1),
    );
    expect(listNewCauses(undefined, watch)).toHaveLength(1);
    expect(listNewCauses(watch, actHealth)).toMatchObject([
      { cause: 'complaints', level: 'act', count: 60 },
    ]);
    expect(
      listNewCauses(
        actHealth,
        computeHealth(actHealth, createVolume({ accepted: 10_000, complaints: 61 }), NOW),
      ),
    ).toEqual([]);
  });

  test('a domain with too few emails is never good, and a healthy rate never raises an alarm', () => {
    const count = fc.nat(5_000);
    const volumes = fc.record({
      ...{ accepted: count, failed: count, waiting: count },
      ...{ hard: count, policy: count, complaints: count },
      isReporting: fc.boolean(),
    });
    fc.assert(
      fc.property(volumes, (shape) => {
        const { state, causes } = computeHealth(undefined, shape, NOW);
        const attempts = shape.accepted + shape.failed;
        if (attempts + shape.waiting < 200) expect(state).toBe('no_data');
        for (const { cause, level, count, of } of causes) {
          const rule = RULES[cause as keyof typeof RULES];
          expect(of).toBeGreaterThanOrEqual(rule.minimum);
          expect(count / of).toBeGreaterThan(rule[level]);
        }
        expect(state === 'good' || state === 'no_data').toBe(causes.length === 0);
      }),
      { numRuns: 500, seed: 1 },
    );
  });
});

test('a cause that affects a whole domain ends as soon as it is no longer found, and the domain then has no data', () => {
  const blocklistCause = {
    cause: 'blocklist',
    level: 'act',
    count: 0,
    of: 0,
    detail: 'ZEN: x',
  } as const;
  const firstHealth = computeDomainHealth(undefined, [blocklistCause], NOW);
  const second = computeDomainHealth(
    firstHealth,
    [blocklistCause, { ...blocklistCause, detail: 'DBL: x' }],
    addHours(5),
  );
  expect(second.causes.map(({ since }) => since)).toEqual([
    NOW.toISOString(),
    addHours(5).toISOString(),
  ]);
  expect(listNewCauses(firstHealth, second)).toMatchObject([{ detail: 'DBL: x' }]);
  expect(summary(computeDomainHealth(second, [], addHours(6)))).toEqual(['no_data']);
  const stoppedCause = { cause: 'stopped', level: 'act', count: 1, of: 0 } as const;
  expect(computeDomainHealth(firstHealth, [blocklistCause, stoppedCause], NOW).state).toBe(
    'stopped',
  );
});
