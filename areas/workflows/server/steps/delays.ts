// End of a delay: after a duration or at a date, and then at the chosen days and time. Minutes and
// hours are exact; days and longer units follow the wall clock of the delay's time zone.
import { wallTimeToInstant, toWallTime } from '#platform/server/zoned-time.ts';
import type { StepData } from '../../contract.ts';
import type { DelayUnit } from '../../shared.ts';
import { formatDayInYear } from './dates.ts';

const MINUTE = 60_000;
const DAY = 86_400_000;

export type DelayInput = {
  /** Arrival at the delay. */
  at: Date;
  /** Time zone of the delay: the subscriber's or the account's. */
  zone: string;
  /** Stored value of the field that the delay refers to. */
  fieldValue?: string | number | null | undefined;
};

/**
 * Computes the end of the delay; undefined if there is nothing to wait for (a missing or past
 * date).
 */
export function computeDelayEnd(
  data: StepData['delay'],
  { at, zone, fieldValue }: DelayInput,
): Date | undefined {
  const base = computeBase(data, { at, zone, fieldValue });
  if (!base) return undefined;
  const end = applyResumeTimes(data, base < at ? at : base, zone);
  return end > at ? end : undefined;
}

/** Adds an amount: minutes and hours exactly, other units by the wall clock. */
export function addDelay(at: Date, amount: number, unit: DelayUnit, zone: string): Date {
  switch (unit) {
    case 'MINUTES':
      return new Date(at.getTime() + amount * MINUTE);
    case 'HOURS':
      return new Date(at.getTime() + amount * 60 * MINUTE);
    case 'DAYS':
    case 'WEEKS':
      return addDays(at, zone, unit === 'DAYS' ? amount : amount * 7);
    default:
      return addMonths(at, zone, amount);
  }
}

function computeBase(
  data: StepData['delay'],
  { at, zone, fieldValue }: DelayInput,
): Date | undefined {
  const { delay_type: type, amount = 0 } = data;
  switch (type) {
    case 'MINUTES':
    case 'HOURS':
    case 'DAYS':
    case 'WEEKS':
    case 'MONTHS':
      return addDelay(at, amount, type, zone);
    case 'DATE':
      return data.date === undefined ? undefined : wallTimeToInstant(data.date, zone);
    case 'FIELD':
      return typeof fieldValue === 'string' ? resolveFieldInstant(fieldValue, at, zone) : undefined;
    case 'UNTIL':
      return addDelay(at, amount, data.unit ?? 'DAYS', zone);
    default:
      return type satisfies never;
  }
}

/**
 * Returns the instant of a date; for a birthday (MM-DD), the start of its next occurrence, which
 * may be today.
 */
function resolveFieldInstant(value: string, at: Date, zone: string): Date {
  if (value.length !== 5) return wallTimeToInstant(value, zone);
  const today = toWallTime(at, zone).slice(0, 10);
  const year = Number(today.slice(0, 4));
  const thisYear = formatDayInYear(value, year);
  return wallTimeToInstant(
    `${thisYear >= today ? thisYear : formatDayInYear(value, year + 1)} 00:00:00`,
    zone,
  );
}

function addDays(at: Date, zone: string, days: number): Date {
  const localTime = toWallTime(at, zone);
  const day = new Date(Date.parse(`${localTime.slice(0, 10)}T00:00:00Z`) + days * DAY);
  return wallTimeToInstant(`${day.toISOString().slice(0, 10)} ${localTime.slice(11)}`, zone);
}

/** One month after 31 January is the last day of February. */
function addMonths(at: Date, zone: string, months: number): Date {
  const localTime = toWallTime(at, zone);
  const [year = 0, month = 1, day = 1] = localTime.slice(0, 10).split('-').map(Number);
  const lastOfMonth = new Date(Date.UTC(year, month - 1 + months + 1, 0));
  const targetDay = new Date(
    Date.UTC(
      lastOfMonth.getUTCFullYear(),
      lastOfMonth.getUTCMonth(),
      Math.min(day, lastOfMonth.getUTCDate()),
    ),
  );
  return wallTimeToInstant(`${targetDay.toISOString().slice(0, 10)} ${localTime.slice(11)}`, zone);
}

/**
 * Returns the first instant from `base` on that matches the chosen days and time, if any are
 * chosen.
 */
function applyResumeTimes(data: StepData['delay'], base: Date, zone: string): Date {
  const { resume_days: days = [], resume_time: time } = data;
  if (days.length === 0 && time === undefined) return base;
  const localTime = toWallTime(base, zone);
  const firstDay = Date.parse(`${localTime.slice(0, 10)}T00:00:00Z`);
  for (let ahead = 0; ahead <= 8; ahead++) {
    const day = new Date(firstDay + ahead * DAY);
    if (days.length > 0 && !days.includes(day.getUTCDay())) continue;
    const hour =
      time === undefined ? (ahead === 0 ? localTime.slice(11) : '00:00:00') : `${time}:00`;
    const candidate = wallTimeToInstant(`${day.toISOString().slice(0, 10)} ${hour}`, zone);
    if (candidate >= base) return candidate;
  }
  return base;
}
