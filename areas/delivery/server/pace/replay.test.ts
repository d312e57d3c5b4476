// Replays of limits show when the last email is sent, and which limit delays it.
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { type RateLimits, createState, SLOT_MS } from '../relays/allowance.ts';
import { computeWarmUpCaps } from '../../relay-limits.ts';
import { type Pace, type PacedRelay, replaySending } from './replay.ts';

const NOW = Date.UTC(2027, 2, 1, 8);
const HOUR = 3_600_000;
const GMAIL = 1;

const relay = (limits: RateLimits, providers: Record<number, RateLimits> = {}): PacedRelay => ({
  ...{ limits, state: createState(NOW) },
  providers: new Map(
    Object.entries(providers).map(([mailbox, providerLimits]) => [
      Number(mailbox),
      { limits: providerLimits, state: createState(NOW) },
    ]),
  ),
});

function hours(recipientCounts: Record<number, number>, pace: Pace) {
  const counts = new Map(
    Object.entries(recipientCounts).map(([mailbox, n]) => [Number(mailbox), n]),
  );
  const result = replaySending(counts, NOW, pace);
  return result && { ...result, hours: result.doneAt && (result.doneAt - NOW) / HOUR };
}

test('the time is unknown if there is neither a limit nor a known speed', () => {
  expect(hours({ 0: 1_000_000 }, { relays: [] })).toBeUndefined();
  expect(hours({ 0: 1_000_000 }, { relays: [relay({})] })).toBeUndefined();
});

describe('the delay of the last email', () => {
  test('the last email is delayed by the past speed', () => {
    const result = hours({ 0: 36_000, 1: 36_000 }, { relays: [], perSecond: 10 });
    expect(result).toMatchObject({ hours: 2, limit: 'speed' });
  });

  test('the last email is delayed by the rate of a relay', () => {
    const result = hours({ 0: 7_200 }, { relays: [relay({ perSecond: 1 })] });
    expect(result).toMatchObject({ hours: 2, limit: 'relay' });
  });

  test('the last email is delayed by an hourly limit minus the reserve for urgent email', () => {
    // Each hour allows 980 emails because the rest of the limit is reserved.
    const result = hours({ 0: 2_940 }, { relays: [relay({ perHour: 1_000 })] });
    expect(result?.limit).toBe('relay');
    expect(result?.hours).toBeGreaterThan(2);
    expect(result?.hours).toBeLessThan(2.5);
  });

  test('an hourly limit that is already used up causes a longer delay', () => {
    const usedRelay = relay({ perHour: 1_000 });
    usedRelay.state.slots = [[Math.floor(NOW / SLOT_MS), 980]];
    const result = hours({ 0: 100 }, { relays: [usedRelay] });
    expect(result?.hours).toBeGreaterThan(1);
  });

  test("a mailbox provider's limit delays its last email until after the emails to other providers", () => {
    const pacedRelay = relay({ perSecond: 100 }, { [GMAIL]: { perMinute: 60 } });
    const result = hours({ 0: 1_000, [GMAIL]: 7_200 }, { relays: [pacedRelay] });
    expect(result?.limit).toBe('provider');
    expect(result?.hours).toBeGreaterThanOrEqual(1.9);
    expect(result?.hours).toBeLessThanOrEqual(2.2);
  });

  describe('autopilot limits', () => {
    const cappedAt = (perHour: number, used = 0) => {
      const cap = { limits: { perHour }, state: createState(NOW) };
      cap.state.slots = [[Math.floor(NOW / SLOT_MS), used]];
      return new Map([[GMAIL, cap]]);
    };

    test('an autopilot limit for a mailbox provider delays its last email until after the emails to other providers', () => {
      // Each hour allows 980 emails because the rest of the limit is reserved.
      const pace = { relays: [], perSecond: 100, caps: cappedAt(1_000) };
      const result = hours({ 0: 10_000, [GMAIL]: 2_940 }, pace);
      expect(result?.limit).toBe('autopilot');
      expect(result?.hours).toBeGreaterThan(2);
      expect(result?.hours).toBeLessThan(2.5);
      expect(hours({ 0: 10_000 }, pace)?.hours).toBeLessThan(0.2);
    });

    test('an autopilot limit applies even without other limits, and to all relays together', () => {
      expect(hours({ [GMAIL]: 1_960 }, { relays: [], caps: cappedAt(1_000) })?.limit).toBe(
        'autopilot',
      );
      const twoRelays = [relay({ perSecond: 100 }), relay({ perSecond: 100 })];
      const result = hours({ [GMAIL]: 2_940 }, { relays: twoRelays, caps: cappedAt(1_000) });
      expect(result?.hours).toBeGreaterThan(2);
    });

    test('an autopilot limit that is already used up causes a longer delay', () => {
      const pace = { relays: [], perSecond: 100, caps: cappedAt(1_000, 980) };
      expect(hours({ [GMAIL]: 100 }, pace)?.hours).toBeGreaterThan(1);
    });
  });

  test('a warm-up delays the last email until the day when the sum of the caps reaches the audience', () => {
    const caps = computeWarmUpCaps(1_000);
    const warmUp = { caps, day: 0, startedAt: null, used: 0 };
    const days = (count: number) => (hours({ 0: count }, { relays: [], warmUp })?.hours ?? 0) / 24;
    expect(hours({ 0: 60 }, { relays: [], warmUp })?.limit).toBe('warm_up');
    expect(days(50)).toBeLessThan(1);
    expect(days(51)).toBeGreaterThan(1);
    expect(days(51)).toBeLessThan(1.1);
    // The caps of the first three days are 50 + 80 + 130 = 260.
    expect(days(260)).toBeLessThan(2.1);
    expect(days(261)).toBeGreaterThan(3);
    // No limit applies after the last warm-up day.
    const totalCap = caps.reduce((total, cap) => total + cap, 0);
    expect(days(totalCap + 1_000_000)).toBeLessThan(caps.length + 0.1);
  });

  test('a used-up warm-up cap delays sending for the rest of the day', () => {
    const warmUp = { caps: [50, 80], day: 1, startedAt: NOW - 20 * HOUR, used: 50 };
    const result = hours({ 0: 10 }, { relays: [], warmUp });
    expect(result?.hours).toBeGreaterThan(4);
    expect(result?.hours).toBeLessThan(4.2);
  });

  test('two relays cause a shorter delay than one', () => {
    const slowRelay = relay({ perSecond: 1 });
    const fastRelay = relay({ perSecond: 3 });
    expect(hours({ 0: 14_400 }, { relays: [slowRelay, fastRelay] })?.hours).toBe(1);
  });

  test('the end is unknown if the limits are too low to finish within 30 days', () => {
    const result = replaySending(new Map([[0, 100_000]]), NOW, {
      relays: [relay({ perDay: 100 })],
    });
    expect(result).toMatchObject({ doneAt: undefined, limit: 'relay' });
    expect(result?.providers.get(0)?.isDone).toBe(false);
  });
});

test('sending never finishes sooner with more recipients, and never later with a higher limit', () => {
  const recipientCount = fc.integer({ min: 1, max: 20_000 });
  fc.assert(
    fc.property(
      recipientCount,
      recipientCount,
      fc.integer({ min: 1, max: 50 }),
      (smaller, larger, perSecond) => {
        const doneAtWith = (count: number, rate: number) =>
          hours({ 0: count }, { relays: [relay({ perSecond: rate })] })?.doneAt ?? Infinity;
        expect(doneAtWith(smaller + larger, perSecond)).toBeGreaterThanOrEqual(
          doneAtWith(smaller, perSecond),
        );
        expect(doneAtWith(smaller, perSecond + 1)).toBeLessThanOrEqual(
          doneAtWith(smaller, perSecond),
        );
      },
    ),
    { numRuns: 50 },
  );
});

const providersOf = (recipientCounts: Record<number, number>, pace: Pace) => {
  const counts = new Map(
    Object.entries(recipientCounts).map(([mailbox, n]) => [Number(mailbox), n]),
  );
  return replaySending(counts, NOW, pace)?.providers;
};
const countOf = (sent: readonly { count: number }[] = []) =>
  sent.reduce((total, { count }) => total + count, 0);

describe('each mailbox provider', () => {
  test('each mailbox provider has its own end and limit', () => {
    const pacedRelay = relay({ perSecond: 100 }, { [GMAIL]: { perMinute: 60 } });
    const providers = providersOf({ 0: 60_000, [GMAIL]: 7_200 }, { relays: [pacedRelay] });
    expect(countOf(providers?.get(0)?.sent)).toBe(60_000);
    expect(countOf(providers?.get(GMAIL)?.sent)).toBe(7_200);
    expect(providers?.get(GMAIL)?.limit).toBe('provider');
    expect(providers?.get(0)?.limit).toBe('relay');
    const endOf = (mailbox: number) => providers?.get(mailbox)?.sent.at(-1)?.to ?? 0;
    expect(endOf(0)).toBeLessThan(endOf(GMAIL));
  });

  test('the last emails to a mailbox provider take only part of a slot if the rate is known', () => {
    const [first] = providersOf({ 0: 1_000 }, { relays: [], perSecond: 10 })?.get(0)?.sent ?? [];
    expect(first).toMatchObject({ from: NOW, to: NOW + 100_000, isPaced: true });
    const [burst] =
      providersOf({ 0: 100 }, { relays: [relay({ perHour: 1_000 })] })?.get(0)?.sent ?? [];
    expect(burst).toMatchObject({ to: NOW + SLOT_MS, isPaced: false });
  });
});

test('isSpeedTight is true only if the past speed is the tightest limit of a slot', () => {
  const isTight = (perSecond: number) =>
    replaySending(new Map([[0, 100]]), NOW, { relays: [relay({ perSecond: 2 })], perSecond })
      ?.isSpeedTight;
  expect(isTight(1)).toBe(true);
  expect(isTight(3)).toBe(false);
});

describe('waves', () => {
  const waves = [0, 3].map((hour) => ({ at: NOW + hour * HOUR, fraction: 0.5 }));

  test('waves are sent when they open', () => {
    const result = hours({ 0: 100 }, { relays: [], perSecond: 10, waves });
    expect(result?.limit).toBe('timing');
    expect(result?.hours).toBeGreaterThan(3);
    expect(result?.hours).toBeLessThan(3.2);
    const sentSlots = providersOf({ 0: 100 }, { relays: [], perSecond: 10, waves })?.get(0)?.sent;
    expect(sentSlots?.map(({ count }) => count)).toEqual([50, 50]);
  });

  test('open waves wait for limits', () => {
    const result = hours({ 0: 72_000 }, { relays: [], perSecond: 2, waves });
    expect(result).toMatchObject({ hours: 10, limit: 'speed' });
  });

  test('waves determine the end if there is no limit', () => {
    expect(hours({ 0: 100 }, { relays: [], waves })?.limit).toBe('timing');
  });
});
