// Delays in wall-clock time: across daylight saving time, month ends, chosen weekdays and hours.
import { expect, test } from 'vitest';
import { computeDelayEnd } from './delays.ts';

const end = (
  data: Parameters<typeof computeDelayEnd>[0],
  at: string,
  zone: string,
  fieldValue?: string,
) => computeDelayEnd(data, { at: new Date(at), zone, fieldValue })?.toISOString();

test('a delay in days keeps its hour across daylight saving time and a delay in hours does not', () => {
  const at = '2026-03-28T17:00:00Z';
  const zone = 'Europe/Oslo';
  expect(end({ delay_type: 'DAYS', amount: 1 }, at, zone)).toBe('2026-03-29T16:00:00.000Z');
  expect(end({ delay_type: 'HOURS', amount: 24 }, at, zone)).toBe('2026-03-29T17:00:00.000Z');
});

test('a month from 31 January ends on the last day of February', () => {
  const months = { delay_type: 'MONTHS', amount: 1 } as const;
  expect(end(months, '2026-01-31T10:00:00Z', 'UTC')).toBe('2026-02-28T10:00:00.000Z');
  expect(end({ ...months, amount: 13 }, '2026-12-31T10:00:00Z', 'UTC')).toBe(
    '2028-01-31T10:00:00.000Z',
  );
});

test('a delay resumes at the next chosen weekday and hour, and an hour skipped by daylight saving time is moved later', () => {
  const monday = {
    delay_type: 'MINUTES',
    amount: 1,
    resume_days: [1],
    resume_time: '09:30',
  } as const;
  const delayData = { ...monday, resume_days: [1] };
  expect(end(delayData, '2026-11-23T08:00:00Z', 'UTC')).toBe('2026-11-23T09:30:00.000Z');
  expect(end(delayData, '2026-11-23T09:30:00Z', 'UTC')).toBe('2026-11-30T09:30:00.000Z');
  const gapDelay = { delay_type: 'MINUTES' as const, amount: 1, resume_time: '02:30' };
  expect(end(gapDelay, '2026-03-29T00:10:00Z', 'Europe/Oslo')).toBe('2026-03-29T01:30:00.000Z');
});

test('a delay until a field’s date ends immediately if the date is missing or past', () => {
  const field = { delay_type: 'FIELD' as const, field: 'x' };
  expect(end(field, '2026-11-23T08:00:00Z', 'UTC')).toBeUndefined();
  expect(end(field, '2026-11-23T08:00:00Z', 'UTC', '2026-01-01 00:00:00')).toBeUndefined();
  expect(end(field, '2026-11-23T08:00:00Z', 'UTC', '2026-12-24 00:00:00')).toBe(
    '2026-12-24T00:00:00.000Z',
  );
});

test('a wait for a birthday ends on the next birthday, which is 28 February in a year without a 29th', () => {
  const wait = { delay_type: 'FIELD', field: 'f' } as const;
  const zone = 'Europe/Oslo';
  expect(end(wait, '2026-05-11T12:00:00Z', zone, '05-12')).toBe('2026-05-11T22:00:00.000Z');
  expect(end(wait, '2026-05-13T12:00:00Z', zone, '05-12')).toBe('2027-05-11T22:00:00.000Z');
  expect(end(wait, '2026-01-10T12:00:00Z', zone, '02-29')).toBe('2026-02-27T23:00:00.000Z');
  expect(end(wait, '2027-12-10T12:00:00Z', zone, '02-29')).toBe('2028-02-28T23:00:00.000Z');
  // On the day itself the delay waits only for its hour.
  expect(end(wait, '2026-05-12T07:00:00Z', zone, '05-12')).toBeUndefined();
  expect(end({ ...wait, resume_time: '10:00' }, '2026-05-12T07:00:00Z', zone, '05-12')).toBe(
    '2026-05-12T08:00:00.000Z',
  );
});
