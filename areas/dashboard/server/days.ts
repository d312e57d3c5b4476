// Days of a time zone as `YYYY-MM-DD`, and the instants at which they begin.
import { invalid } from '#platform/server/errors.ts';
import { DAYS_DEFAULT, DAYS_MOST } from '../limits.ts';

export type Days = { from: string; to: string };

const DAY_MS = 86_400_000;
const QUARTER_MS = 15 * 60_000;

/** The day that it is there. */
export function dayIn(zone: string, at: Date): string {
  return new Intl.DateTimeFormat('en-CA', {
    timeZone: zone,
    year: 'numeric',
    month: '2-digit',
    day: '2-digit',
  }).format(at);
}

export function addDays(day: string, days: number): string {
  return new Date(Date.parse(`${day}T00:00:00Z`) + days * DAY_MS).toISOString().slice(0, 10);
}

export function daysBetween(from: string, to: string): number {
  return Math.round((Date.parse(`${to}T00:00:00Z`) - Date.parse(`${from}T00:00:00Z`)) / DAY_MS);
}

/** The first instant of a day: also where clocks jump over midnight, or come back to it. */
export function startOf(day: string, zone: string): Date {
  const wall = Date.parse(`${day}T00:00:00Z`);
  // Twice: the offset at the guess may be that of the day before.
  let at = wall;
  for (let round = 0; round < 2; round++) at = wall - offsetAt(zone, at);
  while (dayIn(zone, new Date(at)) < day) at += QUARTER_MS;
  while (dayIn(zone, new Date(at - 1)) >= day) at -= QUARTER_MS;
  return new Date(at);
}

function offsetAt(zone: string, at: number): number {
  const parts = new Intl.DateTimeFormat('en-US', {
    timeZone: zone,
    hourCycle: 'h23',
    year: 'numeric',
    month: 'numeric',
    day: 'numeric',
    hour: 'numeric',
    minute: 'numeric',
    second: 'numeric',
  }).formatToParts(at);
  const part = (type: string) => Number(parts.find((one) => one.type === type)?.value);
  const wall = Date.UTC(
    part('year'),
    part('month') - 1,
    part('day'),
    part('hour'),
    part('minute'),
    part('second'),
  );
  return wall - Math.floor(at / 1000) * 1000;
}

/** What was asked for, the last thirty days without it; nothing after today, two years at most. */
export function chosenDays(
  wish: { from?: string | undefined; to?: string | undefined },
  zone: string,
  now: Date,
): Days {
  const today = dayIn(zone, now);
  const to = wish.to === undefined || wish.to > today ? today : wish.to;
  const from = wish.from ?? addDays(to, 1 - DAYS_DEFAULT);
  if (from > to) throw invalid({ from: ['errors.range'] });
  if (daysBetween(from, to) >= DAYS_MOST) throw invalid({ from: ['errors.range_long'] });
  return { from, to };
}

/** The month of that instant, its last day included. */
export function monthOf(zone: string, at: Date): Days {
  const today = dayIn(zone, at);
  const first = `${today.slice(0, 8)}01`;
  const next = addDays(`${addDays(first, 31).slice(0, 8)}01`, 0);
  return { from: first, to: addDays(next, -1) };
}
