// The health of a domain: limits require evidence, alarms end after two days, and a domain with too
// little data is never good.
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { domainHealth, type Health, newCauses, nextHealth, RULES, type Volume } from './health.ts';

const NOW = new Date('2026-06-01T12:00:00Z');
const later = (hours: number) => new Date(NOW.getTime() + hours * 3_600_000);
const volume = (changes: Partial<Volume>): Volume => ({
  ...{ accepted: 0, failed: 0, waiting: 0, hard: 0, policy: 0, complaints: 0 },
  isReporting: true,
  ...changes,
});
const summary = ({ state, causes }: Health) => [
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
  ] as const)('has the expected state and causes after %s', (_, changes, expected) => {
    expect(summary(nextHealth(undefined, volume(changes), NOW))).toEqual(expected);
  });

  test('a share is at most 100 %', () => {
    const { causes } = nextHealth(undefined, volume({ accepted: 250, hard: 300 }), NOW);
    expect(causes).toMatchObject([{ cause: 'bounces', count: 250, of: 250 }]);
  });

  test('an alarm ends after two days below three quarters of its limit', () => {
    const bounces = (hard: number) => volume({ accepted: 1_000 - hard, failed: hard, hard });
    const first = nextHealth(undefined, bounces(100), NOW);
    expect(summary(first)).toEqual(['act', 'bounces: act']);
    // The rate is below the limit, but not below three quarters of it.
    const near = nextHealth(first, bounces(45), later(1));
    expect(summary(near)).toEqual(['act', 'bounces: act']);
    const low = nextHealth(near, bounces(5), later(2));
    expect(summary(low)).toEqual(['act', 'bounces: act']);
    const interrupted = nextHealth(low, bounces(45), later(40));
    const again = nextHealth(interrupted, bounces(5), later(41));
    expect(summary(nextHealth(again, bounces(5), later(60)))).toEqual(['act', 'bounces: act']);
    const ended = nextHealth(again, bounces(5), later(90));
    expect(summary(ended)).toEqual(['good']);
    expect(ended.since).toBe(later(90).toISOString());
    expect(near.causes[0]?.since).toBe(NOW.toISOString());
    // A rate between the limits leads to `watch`.
    expect(summary(nextHealth(again, bounces(35), later(90)))).toEqual(['watch', 'bounces: watch']);
    // The alarm also ends without emails, but then the state is unknown.
    const silent = nextHealth(first, volume({}), later(1));
    expect(summary(silent)).toEqual(['act', 'bounces: act']);
    expect(summary(nextHealth(silent, volume({}), later(60)))).toEqual(['no_data']);
  });

  test('only new or worse causes are announced', () => {
    const watch = nextHealth(undefined, volume({ accepted: 10_000, complaints: 20 }), NOW);
    const act = nextHealth(watch, volume({ accepted: 10_000, complaints: 60 }), later(1));
    expect(newCauses(undefined, watch)).toHaveLength(1);
    expect(newCauses(watch, act)).toMatchObject([{ cause: 'complaints', level: 'act', count: 60 }]);
    expect(
      newCauses(act, nextHealth(act, volume({ accepted: 10_000, complaints: 61 }), NOW)),
    ).toEqual([]);
  });

  test('too few emails are never good, and a healthy rate is never an alarm', () => {
    const figure = fc.nat(5_000);
    const figures = fc.record({
      ...{ accepted: figure, failed: figure, waiting: figure },
      ...{ hard: figure, policy: figure, complaints: figure },
      isReporting: fc.boolean(),
    });
    fc.assert(
      fc.property(figures, (shape) => {
        const { state, causes } = nextHealth(undefined, shape, NOW);
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

test('a cause of a whole domain ends as soon as it is no longer found, and the domain is then without data, not good', () => {
  const listed = { cause: 'blocklist', level: 'act', count: 0, of: 0, detail: 'ZEN: x' } as const;
  const first = domainHealth(undefined, [listed], NOW);
  const second = domainHealth(first, [listed, { ...listed, detail: 'DBL: x' }], later(5));
  expect(second.causes.map(({ since }) => since)).toEqual([
    NOW.toISOString(),
    later(5).toISOString(),
  ]);
  expect(newCauses(first, second)).toMatchObject([{ detail: 'DBL: x' }]);
  expect(summary(domainHealth(second, [], later(6)))).toEqual(['no_data']);
  const stopped = { cause: 'stopped', level: 'act', count: 1, of: 0 } as const;
  expect(domainHealth(first, [listed, stopped], NOW).state).toBe('stopped');
});
