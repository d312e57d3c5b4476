// Plans of waves by local time, window and spread, in extreme time zones and at changes of daylight
// saving time.
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { wallTimeToInstant, toWallTime } from '#platform/server/zoned-time.ts';
import { MAX_WAVES } from '../ledger/lanes.ts';
import {
  moveWave,
  planWaves,
  findWaveRow,
  type WaveWindow,
  startWaveFrom,
  type WavePlan,
  type WaveRule,
} from './wave-plan.ts';

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;

const rule = (changes: Partial<WaveRule>): WaveRule => ({
  when: { by: 'instant', at: '2026-06-01T08:00:00.000Z' },
  zone: 'Europe/Oslo',
  startedAt: '2026-06-01T08:00:00.000Z',
  past: 'next_day',
  window: null,
  spreadHours: null,
  salt: 'salt',
  ...changes,
});

const opensIn = (plan: WavePlan | undefined, zone: string) =>
  findWaveRow(plan as WavePlan, zone).map((at) => plan?.waves[at]?.opens);
const onlyOpening = (plan: WavePlan | undefined, zone: string) => opensIn(plan, zone)[0];

test('a broadcast at one instant without a window or spread has no waves', () => {
  expect(planWaves(rule({}))).toBeUndefined();
});

test('local-time waves open at the same wall time in extreme and fractional time zones', () => {
  const plan = planWaves(
    rule({
      when: { by: 'wall', wall: '2026-06-02 10:00:00' },
      startedAt: '2026-06-01T20:00:00.000Z',
    }),
  );
  expect(onlyOpening(plan, 'Pacific/Kiritimati')).toBe('2026-06-01T20:00:00.000Z');
  expect(onlyOpening(plan, 'Asia/Kathmandu')).toBe('2026-06-02T04:15:00.000Z');
  expect(onlyOpening(plan, 'Australia/Lord_Howe')).toBe('2026-06-01T23:30:00.000Z');
  expect(onlyOpening(plan, 'Pacific/Pago_Pago')).toBe('2026-06-02T21:00:00.000Z');
  expect(plan?.waves.length).toBeLessThan(45);
  expect(plan?.waves[0]?.closes).toBe('2026-06-01T23:00:00.000Z');
});

test('local-time waves skip a missing hour and use the first occurrence of a repeated hour', () => {
  const openingAt = (wallTime: string, zone: string) =>
    onlyOpening(
      planWaves(
        rule({
          when: { by: 'wall', wall: wallTime },
          startedAt: wallTimeToInstant(wallTime, 'Etc/GMT-14').toISOString(),
        }),
      ),
      zone,
    );
  // Oslo: 02:30 is missing on 29 March 2026 and happens twice on 25 October.
  expect(openingAt('2026-03-29 02:30:00', 'Europe/Oslo')).toBe('2026-03-29T01:30:00.000Z');
  expect(openingAt('2026-10-25 02:30:00', 'Europe/Oslo')).toBe('2026-10-25T00:30:00.000Z');
  // Lord Howe changes its clocks by half an hour: 02:15 is missing on 4 October 2026, and 01:45
  // happens twice on 5 April.
  expect(openingAt('2026-10-04 02:15:00', 'Australia/Lord_Howe')).toBe('2026-10-03T15:45:00.000Z');
  expect(openingAt('2026-04-05 01:45:00', 'Australia/Lord_Howe')).toBe('2026-04-04T14:45:00.000Z');
  expect(openingAt('2028-02-29 09:00:00', 'Asia/Kathmandu')).toBe('2028-02-29T03:15:00.000Z');
});

test('recipients whose local time has passed get the email on the next day or immediately', () => {
  const when = { by: 'wall', wall: '2026-06-02 10:00:00' } as const;
  const startedAt = '2026-06-02T05:00:00.000Z';
  const tomorrow = planWaves(rule({ when, startedAt }));
  expect(onlyOpening(tomorrow, 'Asia/Tokyo')).toBe('2026-06-03T01:00:00.000Z');
  expect(onlyOpening(tomorrow, 'Europe/Oslo')).toBe('2026-06-02T08:00:00.000Z');
  const atOnce = planWaves(rule({ when, startedAt, past: 'now' }));
  expect(onlyOpening(atOnce, 'Asia/Tokyo')).toBe(startedAt);
});

test('a wave moves to the next allowed hour and day of its window and closes when the window ends', () => {
  const window: WaveWindow = { from: 9, to: 17, days: [1, 2, 3, 4, 5], zone: 'account' };
  // Friday at 18:00 in Oslo.
  const at = '2026-06-05T16:00:00.000Z';
  const plan = planWaves(rule({ when: { by: 'instant', at }, startedAt: at, window }));
  expect(plan?.waves).toEqual([
    {
      opens: '2026-06-08T07:00:00.000Z',
      closes: '2026-06-08T15:00:00.000Z',
      zone: 'Europe/Oslo',
    },
  ]);
  const weekdays = { ...window, from: 0, to: 24 };
  const earlyPlan = planWaves(rule({ window: weekdays }));
  // A window of whole days closes only on Saturday at 0:00.
  expect(earlyPlan?.waves[0]?.closes).toBe('2026-06-05T22:00:00.000Z');
});

test('a spread has slots of 15 minutes, and wider ones beyond 40 hours', () => {
  expect(planWaves(rule({ spreadHours: 4 }))?.waves).toHaveLength(16);
  const plan = planWaves(rule({ spreadHours: 72 }));
  expect(plan?.waves).toHaveLength(144);
  expect(plan?.waves.at(-1)?.opens).toBe('2026-06-04T07:30:00.000Z');
  expect(new Set(findWaveRow(plan as WavePlan, 'UTC')).size).toBe(144);
});

test('a window in an hour skipped by daylight saving time does not open on that day', () => {
  const window: WaveWindow = { from: 2, to: 3, days: [6, 7, 1], zone: 'account' };
  const at = '2026-03-28T12:00:00.000Z';
  const limitedRule = rule({ when: { by: 'instant', at }, startedAt: at, window });
  const monday = '2026-03-30T00:00:00.000Z';
  expect(onlyOpening(planWaves(limitedRule), 'Europe/Oslo')).toBe(monday);
  expect(onlyOpening(planWaves({ ...limitedRule, spreadHours: 1 }), 'Europe/Oslo')).toBe(monday);
  const saturday = {
    opensAt: new Date('2026-03-28T01:00:00.000Z'),
    closesAt: new Date('2026-03-28T02:00:00.000Z'),
    zone: 'Europe/Oslo',
  };
  const movedTimes = { opensAt: new Date(monday), closesAt: new Date('2026-03-30T01:00:00.000Z') };
  expect(moveWave(limitedRule, saturday, new Date(at))).toEqual(movedTimes);
  const byWall = rule({ when: { by: 'wall', wall: '2026-03-28 02:00:00' }, window });
  expect(moveWave(byWall, saturday, new Date(at))).toEqual(movedTimes);
});

test('a spread within a window continues on the next day', () => {
  const window: WaveWindow = { from: 9, to: 12, days: [1, 2], zone: 'account' };
  const plan = planWaves(rule({ spreadHours: 4, window }));
  // From 10:00 to 12:00 in Oslo on Monday, and from 9:00 on Tuesday.
  expect(plan?.waves.map(({ opens }) => opens.slice(8, 16))).toEqual([
    ...['01T08:00', '01T08:15', '01T08:30', '01T08:45'],
    ...['01T09:00', '01T09:15', '01T09:30', '01T09:45'],
    ...['02T07:00', '02T07:15', '02T07:30', '02T07:45'],
    ...['02T08:00', '02T08:15', '02T08:30', '02T08:45'],
  ]);
});

test('a missed wave opens at the start of the next window, or immediately if a window is open', () => {
  const limitedRule = rule({ window: { from: 9, to: 12, days: [1, 3], zone: 'account' } });
  const missedWave = {
    opensAt: new Date('2026-10-21T08:00:00Z'),
    closesAt: new Date('2026-10-21T10:00:00Z'),
    zone: 'Europe/Oslo',
  };
  expect(moveWave(limitedRule, missedWave, new Date('2026-10-21T10:00:00Z'))).toEqual({
    opensAt: new Date('2026-10-26T08:00:00Z'),
    closesAt: new Date('2026-10-26T11:00:00Z'),
  });
  const now = new Date('2026-10-28T10:30:00Z');
  const closesAt = new Date('2026-10-28T11:00:00Z');
  expect(moveWave(limitedRule, missedWave, now)).toEqual({ opensAt: now, closesAt });
});

test('a missed local-time wave moves to the same wall time on the next allowed day whose window is still open', () => {
  const when = { by: 'wall', wall: '2026-10-21 09:00:00' } as const;
  const limitedRule = rule({ when, window: { from: 9, to: 12, days: [1, 3], zone: 'person' } });
  const missedWave = {
    opensAt: new Date('2026-10-21T07:00:00Z'),
    closesAt: new Date('2026-10-21T10:00:00Z'),
    zone: 'Europe/Oslo',
  };
  // The wave moves from Wednesday to Monday, over the end of daylight saving time.
  expect(moveWave(limitedRule, missedWave, new Date('2026-10-21T10:00:00Z'))).toEqual({
    opensAt: new Date('2026-10-26T08:00:00Z'),
    closesAt: new Date('2026-10-26T11:00:00Z'),
  });
  // The outage ended within the window of a later day, so the wave is open immediately.
  const nextWave = moveWave(limitedRule, missedWave, new Date('2026-10-28T10:30:00Z'));
  expect(nextWave.opensAt).toEqual(new Date('2026-10-28T08:00:00Z'));
});

const ZONES = [
  ...['Europe/Oslo', 'Asia/Kathmandu', 'Australia/Lord_Howe', 'Pacific/Kiritimati', 'UTC'],
  ...['Pacific/Pago_Pago', 'America/St_Johns', 'America/New_York', 'Asia/Tehran', 'Africa/Cairo'],
  ...['America/Havana', 'Pacific/Chatham', 'Antarctica/Troll', 'Africa/Casablanca'],
];
const instants = fc
  .date({ min: new Date('2026-01-01'), max: new Date('2029-01-01'), noInvalidDate: true })
  .map((date) => new Date(Math.floor(date.getTime() / (15 * 60_000)) * 15 * 60_000));
const windows = fc.record({
  from: fc.integer({ min: 0, max: 22 }),
  length: fc.integer({ min: 1, max: 24 }),
  days: fc.uniqueArray(fc.integer({ min: 1, max: 7 }), { minLength: 1 }),
  zone: fc.constantFrom('account' as const, 'person' as const),
});

const hourOf = (at: string, zone: string) => Number(toWallTime(new Date(at), zone).slice(11, 13));
const dayOf = (at: string, zone: string) =>
  new Date(`${toWallTime(new Date(at), zone).slice(0, 10)}T00:00:00Z`).getUTCDay() || 7;

test('a plan has at most the maximum number of waves, and none opens before the start or outside the window', () => {
  fc.assert(
    fc.property(
      instants,
      fc.constantFrom('instant', 'wall', 'hour', 'spread'),
      fc.option(windows),
      fc.constantFrom('next_day' as const, 'now' as const),
      fc.integer({ min: -20, max: 40 }),
      fc.integer({ min: 1, max: 72 }),
      (startedAt, kind, shape, past, ahead, spread) => {
        const window: WaveWindow | null = shape && {
          from: shape.from,
          to: Math.min(24, shape.from + shape.length),
          days: shape.days,
          zone: kind === 'spread' ? 'account' : shape.zone,
        };
        const wallTime = toWallTime(new Date(startedAt.getTime() + ahead * HOUR_MS), 'Europe/Oslo');
        const when: WaveRule['when'] =
          kind === 'wall'
            ? { by: 'wall', wall: wallTime }
            : kind === 'hour'
              ? { by: 'hour', date: wallTime.slice(0, 10), hour: 9 }
              : { by: 'instant', at: startedAt.toISOString() };
        const spreadHours = kind === 'spread' ? spread : null;
        const at = startedAt.toISOString();
        const plan = planWaves(rule({ when, startedAt: at, past, window, spreadHours }));
        if (!plan) return;
        expect(plan.waves.length).toBeLessThanOrEqual(MAX_WAVES);
        for (const zone of ZONES) {
          for (const wave of findWaveRow(plan, zone)) {
            const { opens, closes } = plan.waves[wave] as WavePlan['waves'][number];
            expect(new Date(opens) >= startedAt).toBe(true);
            if (closes) expect(closes > opens).toBe(true);
            const clock = window?.zone === 'account' ? 'Europe/Oslo' : zone;
            if (!window) continue;
            expect(window.days).toContain(dayOf(opens, clock));
            const hour = hourOf(opens, clock);
            // A wave at an hour that daylight saving skips opens at the next hour.
            expect(hour >= window.from && hour <= window.to).toBe(true);
          }
        }
      },
    ),
    { numRuns: 25, seed: 5 },
  );
});

test('a moved wave opens at the same wall time on an allowed day and closes in the future', () => {
  fc.assert(
    fc.property(
      instants,
      fc.constantFrom(...ZONES),
      fc.uniqueArray(fc.integer({ min: 1, max: 7 }), { minLength: 1 }),
      fc.integer({ min: 3, max: 400 }),
      (opensAt, zone, days, downHours) => {
        const closesAt = new Date(opensAt.getTime() + 3 * HOUR_MS);
        const now = new Date(opensAt.getTime() + downHours * HOUR_MS);
        const window: WaveWindow = { from: 0, to: 24, days, zone: 'person' };
        const when = { by: 'wall', wall: toWallTime(opensAt, zone) } as const;
        const newWave = moveWave(rule({ when, window }), { opensAt, closesAt, zone }, now);
        expect(newWave.closesAt > now).toBe(true);
        expect(newWave.opensAt.getTime() - now.getTime()).toBeLessThan(8 * DAY_MS);
        const sameWall = toWallTime(opensAt, zone).slice(11);
        const wallTime = toWallTime(newWave.opensAt, zone);
        // The wall time differs if daylight saving skips it on that day.
        if (wallTime.slice(11) !== sameWall) {
          const missing = wallTimeToInstant(`${wallTime.slice(0, 10)} ${sameWall}`, zone);
          expect(newWave.opensAt).toEqual(missing);
        }
        expect(days).toContain(dayOf(newWave.opensAt.toISOString(), zone));
      },
    ),
    { numRuns: 200, seed: 5 },
  );
});

test('a variant that starts during its wave keeps the end of the wave; one that starts later gets the next wave', () => {
  const window: WaveWindow = { from: 9, to: 17, days: [1, 2, 3, 4, 5], zone: 'account' };
  const limitedRule = rule({ window });
  const wave = (planWaves(limitedRule) as WavePlan).waves[0];
  if (!wave) throw new Error('The window has no wave');
  const times = (starts: string) => {
    const { opensAt, closesAt } = startWaveFrom(limitedRule, wave, new Date(starts));
    return [opensAt.toISOString(), closesAt?.toISOString()];
  };
  // Monday, 10:00 to 17:00 in Oslo.
  expect(startWaveFrom(limitedRule, wave, undefined).opensAt.toISOString()).toBe(
    '2026-06-01T08:00:00.000Z',
  );
  expect(times('2026-06-01T12:00:00.000Z')).toEqual([
    '2026-06-01T12:00:00.000Z',
    '2026-06-01T15:00:00.000Z',
  ]);
  expect(times('2026-06-01T15:00:00.000Z')).toEqual([
    '2026-06-02T07:00:00.000Z',
    '2026-06-02T15:00:00.000Z',
  ]);
  // Saturday: the next opening is on Monday.
  expect(times('2026-06-06T10:00:00.000Z')).toEqual([
    '2026-06-08T07:00:00.000Z',
    '2026-06-08T15:00:00.000Z',
  ]);
  const byLocalTime = rule({ when: { by: 'wall', wall: '2026-06-01 10:00:00' } });
  const localWave = { opens: '2026-06-01T08:00:00.000Z', closes: '2026-06-01T11:00:00.000Z' };
  const laterWave = startWaveFrom(
    byLocalTime,
    { ...localWave, zone: 'Europe/Oslo' },
    new Date('2026-06-01T11:30:00.000Z'),
  );
  expect(laterWave.opensAt.toISOString()).toBe('2026-06-02T08:00:00.000Z');
  expect(laterWave.closesAt?.toISOString()).toBe('2026-06-02T11:00:00.000Z');
});

test('a wave with a later start opens at that start or after it, within the window', () => {
  fc.assert(
    fc.property(
      fc.integer({ min: 0, max: 22 }),
      fc.integer({ min: 1, max: 23 }),
      fc.uniqueArray(fc.integer({ min: 1, max: 7 }), { minLength: 1 }),
      fc.integer({ min: 0, max: 10_080 }),
      (from, hours, days, minutes) => {
        const window: WaveWindow = { from, to: Math.min(24, from + hours), days, zone: 'account' };
        const limitedRule = rule({ window });
        const starts = new Date(Date.parse(limitedRule.startedAt) + minutes * 60_000);
        for (const wave of planWaves(limitedRule)?.waves ?? []) {
          const { opensAt, closesAt } = startWaveFrom(limitedRule, wave, starts);
          expect(opensAt.getTime()).toBeGreaterThanOrEqual(starts.getTime());
          if (closesAt) expect(opensAt.getTime()).toBeLessThan(closesAt.getTime());
          const opens = opensAt.toISOString();
          expect(hourOf(opens, 'Europe/Oslo')).toBeGreaterThanOrEqual(window.from);
          expect(hourOf(opens, 'Europe/Oslo')).toBeLessThan(window.to);
          expect(days).toContain(dayOf(opens, 'Europe/Oslo'));
        }
      },
    ),
    { seed: 5, numRuns: 200 },
  );
});
