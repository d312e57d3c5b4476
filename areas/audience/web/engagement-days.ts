// The days of a year for the grid: each day once, including days without activity.
import type { SubscriberEngagement } from '../contract.ts';

const DAY_MS = 86_400_000;

export type Square = SubscriberEngagement['days'][number];

export function listDaySquares({
  from,
  to,
  days,
}: Pick<SubscriberEngagement, 'from' | 'to' | 'days'>): Square[] {
  const byDay = new Map(days.map((day) => [day.day, day]));
  const squares: Square[] = [];
  for (
    let time = Date.parse(`${from}T00:00:00Z`);
    time <= Date.parse(`${to}T00:00:00Z`);
    time += DAY_MS
  ) {
    const day = new Date(time).toISOString().slice(0, 10);
    squares.push(byDay.get(day) ?? { day, opens: 0, clicks: 0 });
  }
  return squares;
}

/**
 * Returns the shade. 0: no activity; 1: one open; 2: several opens; 3: one click; 4: several
 * clicks.
 */
export function getShadeLevel(opens: number, clicks: number): 0 | 1 | 2 | 3 | 4 {
  if (clicks > 0) return clicks > 1 ? 4 : 3;
  if (opens > 0) return opens > 1 ? 2 : 1;
  return 0;
}
