// Plans waves: when sending to parts of an audience may begin, and the waves of each time zone.
// Pure functions; a message's plan is stored with its audience.
import { wallTimeToInstant, toWallTime } from '#platform/server/zoned-time.ts';
import { MAX_WAVES } from '../ledger/lanes.ts';

/** When emails may be sent: hours of the day and weekdays from 1 (Monday) to 7. */
export type WaveWindow = {
  from: number;
  /** The end of the window, exclusive; 24 is midnight. */
  to: number;
  days: readonly number[];
  /** Whose time zone applies to hours and days: the account's or each recipient's. */
  zone: 'account' | 'person';
};

export type WaveRule = {
  when:
    | { by: 'instant'; at: string }
    /** The same wall time (`YYYY-MM-DD HH:MM:SS`) in the zone of each recipient. */
    | { by: 'wall'; wall: string }
    /** The best hour of each recipient on this date; `hour` is the account's best hour. */
    | { by: 'hour'; date: string; hour: number };
  /** Zone of the account, which is also used for recipients whose zone is unknown. */
  zone: string;
  startedAt: string;
  /** When recipients get the message if their own time has passed at the start. */
  past: 'next_day' | 'now';
  window: WaveWindow | null;
  spreadHours: number | null;
  /** Assigns recipients to the slots of a spread, and to the control group of the best hour. */
  salt: string;
};

/** `zone` is the time zone for rescheduling a missed wave. */
export type Wave = { opens: string; closes: string | null; zone: string };
/** Openings are rounded up to multiples of `step` minutes. */
export type WavePlan = { rule: WaveRule; step: number; waves: readonly Wave[] };

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;
const DAY_MS = 24 * HOUR_MS;
const STEP_MINUTES = 15;
/** Waves at recipients' own times close after this time; a missed one moves to a later day. */
const OWN_TIME_HOURS = 3;
/** Maximum number of slots that sending is spread over. */
const MAX_SLOTS = 160;
const HOURS_PER_DAY = 24;
/** The easternmost and westernmost time zones. Intl lists only the first of them. */
const OUTERMOST_ZONES = ['Pacific/Kiritimati', 'Etc/GMT+12'];

let listedZones: readonly string[] | undefined;
const allZones = () =>
  (listedZones ??= [
    ...new Set([...OUTERMOST_ZONES, ...Intl.supportedValuesOf('timeZone'), 'UTC']),
  ]);

/** Returns whether a recipient's wave depends on the recipient's time zone. */
export const isByZone = ({ when, window }: WaveRule) =>
  when.by !== 'instant' || window?.zone === 'person';

const slotMinutes = (hours: number) =>
  Math.max(1, Math.ceil((hours * 60) / MAX_SLOTS / STEP_MINUTES)) * STEP_MINUTES;

/**
 * Returns the number of waves per zone: one per hour of the day, one per slot of a spread, or a
 * single one.
 */
export function countSendTimes({ when, spreadHours }: WaveRule): number {
  if (when.by === 'hour') return HOURS_PER_DAY;
  return spreadHours === null ? 1 : Math.ceil((spreadHours * 60) / slotMinutes(spreadHours));
}

/**
 * Plans the waves of a rule. Returns undefined if all recipients may be sent to at any time.
 */
export function planWaves(rule: WaveRule): WavePlan | undefined {
  const zones = isByZone(rule) ? [...new Set([rule.zone, ...allZones()])] : [rule.zone];
  for (let step = STEP_MINUTES; ; step *= 2) {
    const waves = wavesOf(rule, zones, step);
    if (waves.length > MAX_WAVES) continue;
    const [only] = waves;
    const isPlain = waves.length === 1 && only?.closes === null;
    if (isPlain && new Date(only.opens) <= new Date(rule.startedAt)) return undefined;
    return { rule, step, waves };
  }
}

function wavesOf(rule: WaveRule, zones: readonly string[], step: number): Wave[] {
  const waves = new Map<string, Wave>();
  const choices = countSendTimes(rule);
  for (const zone of zones) {
    for (let choice = 0; choice < choices; choice++) {
      const wave = computeWave(rule, zone, choice, step);
      const key = keyOf(wave);
      if (!waves.has(key)) waves.set(key, wave);
    }
  }
  return [...waves.values()].sort(
    (a, b) => a.opens.localeCompare(b.opens) || (a.closes ?? '~').localeCompare(b.closes ?? '~'),
  );
}

const keyOf = ({ opens, closes }: Wave) => `${opens} ${closes}`;

/** Returns, for each choice (hour or slot), the index of the zone's wave. */
export function findWaveRow({ rule, step, waves }: WavePlan, zone: string): number[] {
  const indexByKey = new Map(waves.map((wave, index) => [keyOf(wave), index]));
  return Array.from({ length: countSendTimes(rule) }, (_, choice) => {
    const wave = computeWave(rule, zone, choice, step);
    const index = indexByKey.get(keyOf(wave));
    if (index !== undefined) return index;
    // A zone missing from `allZones` may have an offset without a planned wave.
    const laterIndex = waves.findIndex(({ opens }) => opens >= wave.opens);
    return laterIndex < 0 ? waves.length - 1 : laterIndex;
  });
}

/** Returns the wave of a recipient with this zone and choice. */
export function computeWave(rule: WaveRule, zone: string, choice: number, step: number): Wave {
  const { window, when } = rule;
  const clock = window?.zone === 'account' ? rule.zone : zone;
  const startedAt = Date.parse(rule.startedAt);
  const base = baseOf(rule, zone, choice, startedAt);
  const slot = slotOf(rule, choice);
  const inWindow = window ? findLaterOpening(window, clock, base, slot) : base + slot;
  const opens = roundUp(window, clock, inWindow, startedAt, step);
  const closings = [
    ...(window ? [closingOf(window, clock, opens)] : []),
    ...(when.by === 'instant' ? [] : [opens + OWN_TIME_HOURS * HOUR_MS]),
  ];
  return {
    opens: new Date(opens).toISOString(),
    closes: closings.length > 0 ? new Date(Math.min(...closings)).toISOString() : null,
    zone: when.by === 'instant' ? clock : zone,
  };
}

/** Returns the time of sending in milliseconds, without the delay of a spread. */
function baseOf(rule: WaveRule, zone: string, choice: number, startedAt: number): number {
  const { when } = rule;
  if (when.by === 'instant') return Math.max(Date.parse(when.at), startedAt);
  const wallTime = when.by === 'wall' ? when.wall : `${when.date} ${twoDigits(choice)}:00:00`;
  for (let days = 0; ; days++) {
    const opensAt = wallTimeToInstant(addDays(wallTime, days), zone).getTime();
    if (opensAt >= startedAt) return opensAt;
    if (rule.past === 'now') return startedAt;
  }
}

/** Returns the delay of a spread's slot after its start, in milliseconds; 0 without a spread. */
const slotOf = ({ spreadHours }: WaveRule, choice: number) =>
  spreadHours === null ? 0 : choice * slotMinutes(spreadHours) * MINUTE_MS;

/** Returns whether the wall time in this zone had passed at the start. */
export function isPastIn({ when, startedAt }: WaveRule, zone: string): boolean {
  return when.by === 'wall' && wallTimeToInstant(when.wall, zone) < new Date(startedAt);
}

const twoDigits = (value: number) => String(value).padStart(2, '0');

/** Returns the same wall time `days` days later. */
function addDays(wallTime: string, days: number): string {
  const time = Date.parse(`${wallTime.replace(' ', 'T')}Z`) + days * DAY_MS;
  return new Date(time).toISOString().slice(0, 19).replace('T', ' ');
}

/** Returns the weekday of a wall time, from 1 (Monday) to 7. */
const weekdayOf = (wallTime: string) =>
  new Date(`${wallTime.slice(0, 10)}T00:00:00Z`).getUTCDay() || 7;

function isInWindow({ from, to, days }: WaveWindow, zone: string, at: number): boolean {
  const wall = toWallTime(new Date(at), zone);
  const hour = Number(wall.slice(11, 13));
  return days.includes(weekdayOf(wall)) && hour >= from && hour < to;
}

/** Returns the first instant of the window from `at` on. */
function nextOpening(window: WaveWindow, zone: string, at: number): number {
  if (isInWindow(window, zone, at)) return at;
  const today = toWallTime(new Date(at), zone).slice(0, 10);
  for (let days = 0; ; days++) {
    const wall = addDays(`${today} ${twoDigits(window.from)}:00:00`, days);
    const opens = wallTimeToInstant(wall, zone).getTime();
    // Daylight saving may skip all of a short window, so that it does not open on that day.
    if (opens >= at && isInWindow(window, zone, opens)) return opens;
  }
}

/** Returns the instant `duration` after `from`, counting only time within the window. */
function findLaterOpening(
  window: WaveWindow,
  zone: string,
  from: number,
  duration: number,
): number {
  let opensAt = nextOpening(window, zone, from);
  let remainingMs = duration;
  for (;;) {
    const closes = closingOf(window, zone, opensAt);
    if (opensAt + remainingMs < closes) return opensAt + remainingMs;
    remainingMs -= closes - opensAt;
    opensAt = nextOpening(window, zone, closes);
  }
}

/** Returns the end of the window that is open at `at`. */
function closingOf(window: WaveWindow, zone: string, at: number): number {
  let wallTime = toWallTime(new Date(at), zone);
  // Consecutive whole days are one opening.
  const isWholeDay = window.from === 0 && window.to === 24 && window.days.length < 7;
  while (isWholeDay && window.days.includes(weekdayOf(addDays(wallTime, 1))))
    wallTime = addDays(wallTime, 1);
  const midnight = `${wallTime.slice(0, 10)} 00:00:00`;
  const end =
    window.to === 24
      ? addDays(midnight, 1)
      : `${wallTime.slice(0, 10)} ${twoDigits(window.to)}:00:00`;
  return wallTimeToInstant(end, zone).getTime();
}

/**
 * Rounds an opening up to a multiple of `step` minutes, which reduces the number of waves. Openings
 * at or before the start are not rounded, nor are openings that would leave the window.
 */
function roundUp(
  window: WaveWindow | null,
  zone: string,
  at: number,
  startedAt: number,
  step: number,
): number {
  if (at <= startedAt) return at;
  const roundedTime = Math.ceil(at / (step * MINUTE_MS)) * step * MINUTE_MS;
  return window && !isInWindow(window, zone, roundedTime) ? at : roundedTime;
}

/**
 * Returns the opening and closing of a wave for a variant that starts later, at `starts`. If the
 * wave closes before that, it is rescheduled, as by `moveWave`.
 */
export function startWaveFrom(
  rule: WaveRule,
  { opens, closes, zone }: Wave,
  starts: Date | undefined,
): { opensAt: Date; closesAt: Date | undefined } {
  let opensAt = new Date(opens);
  let closesAt = closes === null ? undefined : new Date(closes);
  if (starts && closesAt && starts >= closesAt) {
    const newTimes = moveWave(rule, { opensAt, closesAt, zone }, starts);
    opensAt = newTimes.opensAt;
    closesAt = newTimes.closesAt;
  }
  return { opensAt: starts && starts > opensAt ? starts : opensAt, closesAt };
}

/**
 * Reschedules a wave that closed before all of its recipients were sent to: to the next opening of
 * the window or, for recipients' own times, to the same time on the first allowed day on which it
 * would still be open.
 */
export function moveWave(
  { when, window }: WaveRule,
  { opensAt, closesAt, zone }: { opensAt: Date; closesAt: Date; zone: string },
  now: Date,
): { opensAt: Date; closesAt: Date } {
  if (when.by === 'instant' && window) {
    const next = nextOpening(window, zone, Math.max(closesAt.getTime(), now.getTime()));
    return { opensAt: new Date(next), closesAt: new Date(closingOf(window, zone, next)) };
  }
  const shiftDays = (at: Date, days: number) => addDays(toWallTime(at, zone), days);
  for (let days = 1; ; days++) {
    if (window && !window.days.includes(weekdayOf(shiftDays(opensAt, days)))) continue;
    const newTimes = {
      opensAt: wallTimeToInstant(shiftDays(opensAt, days), zone),
      closesAt: wallTimeToInstant(shiftDays(closesAt, days), zone),
    };
    // Daylight saving may skip all of a short wave.
    if (newTimes.closesAt > now && newTimes.opensAt < newTimes.closesAt) return newTimes;
  }
}
