// When deferred recipients are retried, and when they fail.
import { describe, expect, test } from 'vitest';
import { computeVerdict } from './outcomes.ts';
import type { HandoffResult } from '../relays/provider.ts';

const BUSY: HandoffResult = {
  outcome: 'deferred',
  scope: 'relay',
  step: 'dot',
  code: 451,
  enhancedCode: '4.3.0',
  reply: 'Later',
};

test('a relay that defers for a week gets at most 1,500 attempts per recipient, and no recipient fails', () => {
  const firstAt = new Date('2026-03-01T00:00:00Z');
  let now = firstAt;
  let attempts = 0;
  let maxDelay = 0;
  while (now.getTime() - firstAt.getTime() < 7 * 86_400_000) {
    const verdict = computeVerdict({ strikes: 0, firstAt, isSingle: false }, BUSY, now);
    expect(verdict).toMatchObject({ state: 'deferred', strikes: 0 });
    const next = verdict.nextAttemptAt as Date;
    maxDelay = Math.max(maxDelay, next.getTime() - now.getTime());
    now = next;
    attempts++;
  }
  expect(attempts).toBeLessThan(1_500);
  expect(maxDelay).toBeLessThan(20 * 60_000);
});

test('a deferring relay is first retried within 15 seconds', () => {
  const now = new Date('2026-03-01T00:00:00Z');
  const { nextAttemptAt } = computeVerdict({ strikes: 0, firstAt: now, isSingle: true }, BUSY, now);
  expect((nextAttemptAt as Date).getTime() - now.getTime()).toBeLessThan(15_000);
});

describe('a relay that refuses the sender of a single email', () => {
  const REFUSED: HandoffResult = { ...BUSY, outcome: 'relay_refused', scope: 'sender', code: 550 };
  const firstAt = new Date('2026-03-01T00:00:00Z');
  const verdictAt = (age: number, isSingle = true) =>
    computeVerdict({ strikes: 0, firstAt, isSingle }, REFUSED, new Date(firstAt.getTime() + age));

  test('a single email with a refused sender is retried for three days and then fails', () => {
    let age = 0;
    let attempts = 1;
    let verdict = verdictAt(age);
    // Single sends are not paced, so immediate retries of many would delay all other emails.
    expect(Number(verdict.nextAttemptAt) - firstAt.getTime()).toBeGreaterThan(4 * 60_000);
    while (verdict.nextAttemptAt && age < 7 * 86_400_000) {
      const next = Number(verdict.nextAttemptAt) - firstAt.getTime();
      expect(next - age).toBeLessThan(20 * 60_000);
      age = next;
      verdict = verdictAt(age);
      attempts++;
    }
    expect(verdict).toMatchObject({
      state: 'failed',
      reason: 'sender_refused',
      isUnknownRecipient: false,
    });
    expect(age / 3_600_000).toBeGreaterThan(72);
    expect(age / 3_600_000).toBeLessThan(73);
    expect(attempts).toBeLessThan(1_000);
  });

  test('a message with an audience pauses without failed recipients if its sender is refused', () => {
    const pausedVerdict = { state: 'deferred', reason: 'sender_refused', isSenderRefused: true };
    expect(verdictAt(100 * 3_600_000, false)).toMatchObject(pausedVerdict);
  });
});

describe('a copy that waited for days', () => {
  const GREYLISTED: HandoffResult = { ...BUSY, scope: 'recipient', step: 'rcpt', code: 451 };
  const firstAt = new Date('2026-03-01T00:00:00Z');
  const after80Hours = new Date(firstAt.getTime() + 80 * 3_600_000);
  const verdictAt = (strikes: number, isSingle: boolean) =>
    computeVerdict({ strikes, firstAt, isSingle }, GREYLISTED, after80Hours).state;

  test.each([true, false])(
    'a greylisted copy is retried after the first deferral for its recipient, and fails at the second (single: %s)',
    (isSingle) => {
      expect(verdictAt(0, isSingle)).toBe('deferred');
      expect(verdictAt(1, isSingle)).toBe('failed');
    },
  );
});
