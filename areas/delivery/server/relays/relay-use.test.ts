// The displayed use of a relay's hour and day matches its allowance.
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { computeReserve } from '../../relay-limits.ts';
import { acquireFrom, createState, SLOT_MS } from './allowance.ts';
import { computeQuotas } from './relay-use.ts';

const NOW = Date.UTC(2026, 2, 2, 14, 3);
const slot = (minutesAgo: number) => Math.floor((NOW - minutesAgo * 60_000) / SLOT_MS);

test('each window is counted separately, and shows its recovery time once it is used up', () => {
  const slots: [number, number][] = [
    [slot(25 * 60 + 10), 900],
    [slot(23 * 60), 3000],
    [slot(30), 120],
  ];
  // Two of the 122 emails are reserved for single emails, so other emails wait already.
  expect(computeQuotas({ per_hour: 122, per_day: null }, slots, NOW)).toMatchObject([
    { used: 120, most: 122, more_at: '2026-03-02T14:35:00.000Z' },
  ]);
  expect(computeQuotas({ per_hour: 120, per_day: 5000 }, slots, NOW)).toEqual([
    { unit: 'hour', used: 120, most: 120, more_at: '2026-03-02T14:35:00.000Z' },
    { unit: 'day', used: 3120, most: 5000, more_at: null },
  ]);
  expect(computeQuotas({ per_hour: null, per_day: null }, slots, NOW)).toEqual([]);
});

test('the displayed use agrees with the capacity that can be drawn', () => {
  const step = fc.record({
    minutes: fc.integer({ min: 0, max: 90 }),
    want: fc.integer({ min: 1, max: 40 }),
    isUrgent: fc.boolean(),
  });
  fc.assert(
    fc.property(fc.array(step, { maxLength: 60 }), (steps) => {
      const limits = { perHour: 50, perDay: 200 };
      const shownLimits = { per_hour: 50, per_day: 200 };
      let now = NOW;
      let state = createState(now);
      for (const { minutes, want, isUrgent } of steps) {
        now += minutes * 60_000;
        const quotas = computeQuotas(shownLimits, state.slots ?? [], now);
        const reserve = isUrgent ? () => 0 : computeReserve;
        const remaining = Math.min(
          ...quotas.map(({ most: limit, used }) => limit - reserve(limit) - used),
        );
        const acquired = acquireFrom(state, limits, want, now, isUrgent);
        expect(acquired.granted).toBe(Math.max(0, Math.min(want, remaining)));
        if (!isUrgent)
          expect(acquired.granted === 0).toBe(quotas.some((limit) => limit.more_at !== null));
        state = acquired.state;
      }
    }),
  );
});
