// Dates of people as triggers: whose instant has come since the dates were looked at last, in the person's own zone.
import { instantOf } from '#platform/server/zoned-time.ts';
import type { StepData } from '../contract.ts';

const DAY = 86_400_000;
/** After a long rest no more than so much is caught up. */
const BACK_MOST = 370 * DAY;

export type DateTrigger = Pick<
  StepData['trigger'],
  'triggerType' | 'field' | 'offset_days' | 'time'
>;

const dayOf = (at: number) => new Date(at).toISOString().slice(0, 10);
const isLeap = (year: number) => new Date(Date.UTC(year, 1, 29)).getUTCMonth() === 1;

/** The days of a field that a window may concern, wide enough for every zone. */
export function daysWithin(trigger: DateTrigger, from: Date, upto: Date): string[] {
  const offset = (trigger.offset_days ?? 0) * DAY;
  const first = Math.max(from.getTime(), upto.getTime() - BACK_MOST) - 2 * DAY - offset;
  const days: string[] = [];
  for (let at = first; at <= upto.getTime() + 2 * DAY - offset; at += DAY) days.push(dayOf(at));
  if (trigger.triggerType === 'DATE') return days;
  const yearly = days.map((day) => day.slice(5));
  // Who was born on 29 February has their day on the 28th where there is none.
  const hasEnd = days.some((day) => day.endsWith('02-28') && !isLeap(Number(day.slice(0, 4))));
  return [...new Set(hasEnd ? [...yearly, '02-29'] : yearly)];
}

/**
 * The instant within (from, upto] that a person's date makes, and the day it stands for as a number (20260131);
 * undefined: none.
 */
export function momentOf(
  trigger: DateTrigger,
  value: string,
  zone: string,
  { from, upto }: { from: Date; upto: Date },
): { at: Date; day: number } | undefined {
  const { triggerType, offset_days: offset = 0, time } = trigger;
  const first = new Date(Math.max(from.getTime(), upto.getTime() - BACK_MOST));
  const clock = time === undefined ? value.slice(11, 19) || '00:00:00' : `${time}:00`;
  const years =
    triggerType === 'DATE'
      ? [Number(value.slice(0, 4))]
      : yearsAround(first.getTime() - offset * DAY, upto.getTime() - offset * DAY).filter(
          // The date itself is no anniversary.
          (year) => year > Number(value.slice(0, 4)),
        );
  for (const year of years) {
    const monthDay = value.slice(5, 10);
    const own = monthDay === '02-29' && !isLeap(year) ? '02-28' : monthDay;
    const day = Date.parse(`${String(year).padStart(4, '0')}-${own}T00:00:00Z`);
    if (Number.isNaN(day)) return undefined;
    const wall = dayOf(day + offset * DAY);
    const at = instantOf(`${wall} ${clock}`, zone);
    if (at > first && at <= upto) return { at, day: Number(wall.replaceAll('-', '')) };
  }
  return undefined;
}

function yearsAround(from: number, upto: number): number[] {
  const first = new Date(from - 2 * DAY).getUTCFullYear();
  const last = new Date(upto + 2 * DAY).getUTCFullYear();
  return Array.from({ length: last - first + 1 }, (_, at) => first + at);
}
