// What is shown of a relay's hour and day is what its allowance counts.
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { draw, newState, SLOT_MS } from './allowance.ts';
import { quotasOf } from './relay-use.ts';

const NOW = Date.UTC(2026, 2, 2, 14, 3);
const slot = (minutesAgo: number) => Math.floor((NOW - minutesAgo * 60_000) / SLOT_MS);

test('counts each window by itself, and says from when on there is more where one is used up', () => {
  const slots: [number, number][] = [
    [slot(25 * 60 + 10), 900],
    [slot(23 * 60), 3000],
    [slot(30), 120],
  ];
  expect(quotasOf({ per_hour: 120, per_day: 5000 }, slots, NOW)).toEqual([
    { unit: 'hour', used: 120, most: 120, more_at: '2026-03-02T14:35:00.000Z' },
    { unit: 'day', used: 3120, most: 5000, more_at: null },
  ]);
  expect(quotasOf({ per_hour: null, per_day: null }, slots, NOW)).toEqual([]);
});

test('agrees with what may be drawn', () => {
  const step = fc.record({
    minutes: fc.integer({ min: 0, max: 90 }),
    want: fc.integer({ min: 1, max: 40 }),
  });
  fc.assert(
    fc.property(fc.array(step, { maxLength: 60 }), (steps) => {
      const limits = { perHour: 50, perDay: 200 };
      const shownLimits = { per_hour: 50, per_day: 200 };
      let now = NOW;
      let state = newState(now);
      for (const { minutes, want } of steps) {
        now += minutes * 60_000;
        const shown = quotasOf(shownLimits, state.slots ?? [], now);
        const room = Math.min(...shown.map(({ most, used }) => most - used));
        const drawn = draw(state, limits, want, now);
        expect(drawn.given).toBe(Math.min(want, room));
        state = drawn.state;
      }
    }),
  );
});
