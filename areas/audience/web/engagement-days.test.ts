// The grid of a year's days: each day occurs once, and its shade shows the engagement.
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { getShadeLevel, listDaySquares } from './engagement-days.ts';

const DAY_MS = 86_400_000;
const dayOf = (time: number) => new Date(time).toISOString().slice(0, 10);

it('listDaySquares returns each day once from the first to the last, even in leap years', () => {
  const firstDay = fc.integer({ min: 0, max: 40_000 }).map((days) => days * DAY_MS);
  fc.assert(
    fc.property(firstDay, fc.integer({ min: 0, max: 400 }), fc.nat(), (start, length, pick) => {
      const end = start + length * DAY_MS;
      const busy = { day: dayOf(start + (pick % (length + 1)) * DAY_MS), opens: 3, clicks: 1 };
      const squares = listDaySquares({ from: dayOf(start), to: dayOf(end), days: [busy] });
      expect(squares).toHaveLength(length + 1);
      expect(new Set(squares.map(({ day }) => day)).size).toBe(length + 1);
      expect(squares.filter(({ opens }) => opens > 0)).toEqual([busy]);
    }),
  );
});

it('getShadeLevel ranks a click above any number of opens', () => {
  expect([
    getShadeLevel(0, 0),
    getShadeLevel(1, 0),
    getShadeLevel(9, 0),
    getShadeLevel(9, 1),
    getShadeLevel(0, 2),
  ]).toEqual([0, 1, 2, 3, 4]);
});
