// The dashboard's range of days in the URL: a preset, or two chosen days.
import { useState } from 'react';
import { parseOneOf, text, useSearchParams } from '#platform/web/api/address.ts';
import { dayIn } from '#platform/web/texts/formats.ts';
import { useSession } from '#platform/web/session/session.ts';

export const RANGES = ['7', '30', '90', '365', 'chosen'] as const;
export type RangeName = (typeof RANGES)[number];

const address = { range: parseOneOf(RANGES, '30'), from: text(), to: text() };
const DAY_MS = 86_400_000;

export interface DayRange {
  from: string;
  to: string;
}

export function useRange() {
  const { account } = useSession();
  const [{ range, from, to }, set] = useSearchParams(address);
  // A page open over midnight shows the new day when it is reopened.
  const [today] = useState(() => dayIn(new Date(), account.timezone));
  const isChosen = range === 'chosen' && isDay(from) && isDay(to) && from <= to;
  const days = isChosen ? { from, to } : lastDays(range === 'chosen' ? 30 : Number(range), today);
  return {
    name: range,
    days,
    today,
    choose: (name: RangeName) =>
      set(name === 'chosen' ? { range: name, ...days } : withoutDays(name)),
    chooseDays: (custom: DayRange) => set({ range: 'chosen', ...custom }),
  };
}

const withoutDays = (range: RangeName) => ({ range, from: '', to: '' });

export function lastDays(count: number, today: string): DayRange {
  const from = new Date(Date.parse(`${today}T00:00:00Z`) - (count - 1) * DAY_MS);
  return { from: from.toISOString().slice(0, 10), to: today };
}

/** Returns the same number of days directly before these. */
export function daysBefore({ from, to }: DayRange): DayRange {
  const day = (at: number) => new Date(at).toISOString().slice(0, 10);
  const [first, last] = [Date.parse(from), Date.parse(to)];
  return { from: day(first - (last - first) - DAY_MS), to: day(first - DAY_MS) };
}

export function isDay(isoDay: string): boolean {
  const at = Date.parse(`${isoDay}T00:00:00Z`);
  return (
    /^\d{4}-\d\d-\d\d$/.test(isoDay) &&
    !Number.isNaN(at) &&
    new Date(at).toISOString().startsWith(isoDay)
  );
}
