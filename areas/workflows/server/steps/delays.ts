// End of a delay: after a duration or at a date, and then at the chosen days and time. Minutes and
// hours are exact; days and longer units follow the wall clock of the delay's time zone.
import { instantOf, wallTimeOf } from '#platform/server/zoned-time.ts';
import type { StepData } from '../../contract.ts';
import type { Unit } from '../../shared.ts';
import { dayInYear } from './dates.ts';

const MINUTE = 60_000;
const DAY = 86_400_000;

export type Waiting = {
  /** Arrival at the delay. */
  at: Date;
  /** Time zone of the delay: that of the subscriber or that of the account. */
  zone: string;
  /** Stored value of the field that the delay refers to. */
  fieldValue?: string | number | null | undefined;
};

/** End of the delay; undefined if there is nothing to wait for (a missing or past date). */
export function endOfDelay(
  data: StepData['delay'],
  { at, zone, fieldValue }: Waiting,
): Date | undefined {
  const base = baseOf(data, { at, zone, fieldValue });
  if (!base) return undefined;
  const end = resumed(data, base < at ? at : base, zone);
  return end > at ? end : undefined;
}

/** Adds an amount: minutes and hours exactly, other units by the wall clock. */
export function later(at: Date, amount: number, unit: Unit, zone: string): Date {
  switch (unit) {
    case 'MINUTES':
      return new Date(at.getTime() + amount * MINUTE);
    case 'HOURS':
      return new Date(at.getTime() + amount * 60 * MINUTE);
    case 'DAYS':
    case 'WEEKS':
      return wallDaysLater(at, zone, unit === 'DAYS' ? amount : amount * 7);
    default:
      return wallMonthsLater(at, zone, amount);
  }
}

function baseOf(data: StepData['delay'], { at, zone, fieldValue }: Waiting): Date | undefined {
  const { delay_type: type, amount = 0 } = data;
  switch (type) {
    case 'MINUTES':
    case 'HOURS':
    case 'DAYS':
    case 'WEEKS':
    case 'MONTHS':
      return later(at, amount, type, zone);
    case 'DATE':
      return data.date === undefined ? undefined : instantOf(data.date, zone);
    case 'FIELD':
      return typeof fieldValue === 'string' ? instantOfField(fieldValue, at, zone) : undefined;
    case 'UNTIL':
      return later(at, amount, data.unit ?? 'DAYS', zone);
    default:
      return type satisfies never;
  }
}

/**
 * The instant of a date; for a birthday (MM-DD), the start of its next occurrence, which may be
 * today.
 */
function instantOfField(value: string, at: Date, zone: string): Date {
  if (value.length !== 5) return instantOf(value, zone);
  const today = wallTimeOf(at, zone).slice(0, 10);
  const year = Number(today.slice(0, 4));
  const thisYear = dayInYear(value, year);
  return instantOf(`${thisYear >= today ? thisYear : dayInYear(value, year + 1)} 00:00:00`, zone);
}

function wallDaysLater(at: Date, zone: string, days: number): Date {
  const wall = wallTimeOf(at, zone);
  const day = new Date(Date.parse(`${wall.slice(0, 10)}T00:00:00Z`) + days * DAY);
  return instantOf(`${day.toISOString().slice(0, 10)} ${wall.slice(11)}`, zone);
}

/** One month after 31 January is the last day of February. */
function wallMonthsLater(at: Date, zone: string, months: number): Date {
  const wall = wallTimeOf(at, zone);
  const [year = 0, month = 1, day = 1] = wall.slice(0, 10).split('-').map(Number);
  const last = new Date(Date.UTC(year, month - 1 + months + 1, 0));
  const then = new Date(
    Date.UTC(last.getUTCFullYear(), last.getUTCMonth(), Math.min(day, last.getUTCDate())),
  );
  return instantOf(`${then.toISOString().slice(0, 10)} ${wall.slice(11)}`, zone);
}

/** The first instant from `base` on that matches the chosen days and time, if any are chosen. */
function resumed(data: StepData['delay'], base: Date, zone: string): Date {
  const { resume_days: days = [], resume_time: time } = data;
  if (days.length === 0 && time === undefined) return base;
  const wall = wallTimeOf(base, zone);
  const first = Date.parse(`${wall.slice(0, 10)}T00:00:00Z`);
  for (let ahead = 0; ahead <= 8; ahead++) {
    const day = new Date(first + ahead * DAY);
    if (days.length > 0 && !days.includes(day.getUTCDay())) continue;
    const hour = time === undefined ? (ahead === 0 ? wall.slice(11) : '00:00:00') : `${time}:00`;
    const candidate = instantOf(`${day.toISOString().slice(0, 10)} ${hour}`, zone);
    if (candidate >= base) return candidate;
  }
  return base;
}
