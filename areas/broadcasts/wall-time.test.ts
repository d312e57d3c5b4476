// Wall time: its conversion to an instant, also in gaps and overlaps, and rounding to quarters of
// an hour.
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  wallTimeToInstant,
  proposeWallTime,
  roundWallTime,
  instantToWallTime,
} from './wall-time.ts';

const iso = (wallTime: string, zone: string) => wallTimeToInstant(wallTime, zone)?.toISOString();

describe('wall time', () => {
  it.each([
    ['2026-07-01 12:00:00', 'Europe/Oslo', '2026-07-01T10:00:00.000Z'],
    ['2026-01-01 00:00:00', 'Asia/Tehran', '2025-12-31T20:30:00.000Z'],
    ['2026-01-01 00:00:00', 'UTC', '2026-01-01T00:00:00.000Z'],
    ['2026-01-01 00:00:00', 'Pacific/Kiritimati', '2025-12-31T10:00:00.000Z'],
    // Gap: clocks change from 02:00 to 03:00; the later instant is 03:30 summer time.
    ['2026-03-29 02:30:00', 'Europe/Oslo', '2026-03-29T01:30:00.000Z'],
    ['2026-03-08 02:15:00', 'America/New_York', '2026-03-08T07:15:00.000Z'],
    // Overlap: 02:30 happens twice; the earlier one is still summer time.
    ['2026-10-25 02:30:00', 'Europe/Oslo', '2026-10-25T00:30:00.000Z'],
    ['2026-11-01 01:45:00', 'America/New_York', '2026-11-01T05:45:00.000Z'],
    // Daylight saving time shifts this zone by half an hour.
    ['2026-10-04 02:15:00', 'Australia/Lord_Howe', '2026-10-03T15:45:00.000Z'],
    // The zone skipped this day entirely.
    ['2011-12-30 12:00:00', 'Pacific/Apia', '2011-12-30T22:00:00.000Z'],
  ])('%s in %s is %s', (wallTime, zone, instant) => {
    expect(iso(wallTime, zone)).toBe(instant);
  });

  it.each([
    '',
    'tomorrow',
    '2026-02-30 10:00:00',
    '2026-01-01 24:00:00',
    '2026-01-01T10:00:00',
    '2026-1-1 1:1:1',
    // Schedules are limited to the years 2000 to 2100.
    '9999-12-31 23:59:00',
    '9999-12-31 12:00:00',
  ])('refuses %s', (wallTime) => {
    expect(wallTimeToInstant(wallTime, 'UTC')).toBeUndefined();
    expect(roundWallTime(wallTime)).toBeUndefined();
  });

  it('a wall time is rounded up to a quarter of an hour', () => {
    expect(roundWallTime('2026-01-01 10:00:00')).toBe('2026-01-01 10:00:00');
    expect(roundWallTime('2026-01-01 10:00:01')).toBe('2026-01-01 10:15:00');
    expect(roundWallTime('2026-12-31 23:46:00')).toBe('2027-01-01 00:00:00');
    expect(proposeWallTime(new Date('2026-01-01T10:01:00Z'), 'Europe/Oslo')).toBe(
      '2026-01-01 11:30:00',
    );
  });

  it('the proposed time is in the future, even in the hour repeated when daylight saving time ends', () => {
    expect(proposeWallTime(new Date('2026-10-25T01:10:00Z'), 'Europe/Oslo')).toBe(
      '2026-10-25 03:00:00',
    );
    expect(proposeWallTime(new Date('2026-10-25T00:10:00Z'), 'Europe/Oslo')).toBe(
      '2026-10-25 02:30:00',
    );
  });

  it('the wall time of an instant converts to this instant, or to an earlier one with the same wall time', () => {
    const zones = fc.constantFrom(
      'Europe/Oslo',
      'Asia/Tehran',
      'America/St_Johns',
      'Australia/Lord_Howe',
      'UTC',
    );
    const instants = fc
      .integer({ min: 946_900_000, max: 4_102_444_800 })
      .map((seconds) => new Date(seconds * 1000));
    fc.assert(
      fc.property(instants, zones, (instant, zone) => {
        const wallTime = instantToWallTime(instant, zone);
        const roundTrip = wallTimeToInstant(wallTime, zone) as Date;
        expect(instantToWallTime(roundTrip, zone)).toBe(wallTime);
        expect(roundTrip.getTime()).toBeLessThanOrEqual(instant.getTime());
      }),
    );
  });
});
