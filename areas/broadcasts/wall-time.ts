// Schedules are wall time in the account's zone. The server and the screens convert it to an
// instant by the same rules: in a daylight saving gap the later instant counts, in an overlap the
// earlier one.

/** `YYYY-MM-DD HH:MM:SS`. */
export const WALL_TIME = /^(\d{4})-(\d\d)-(\d\d) (\d\d):(\d\d):(\d\d)$/;
export const STEP_MINUTES = 15;
/** Offset of the time that the schedule dialog proposes. */
export const DEFAULT_OFFSET_MINUTES = 15;

const DAY_MS = 86_400_000;
/** First year of a valid schedule. */
const FIRST_YEAR = 2000;
const LAST_YEAR = 2100;
const formats = new Map<string, Intl.DateTimeFormat>();

/**
 * Returns the instant of a wall time, or undefined for text that is not a time between 2000 and
 * 2100.
 */
export function wallTimeToInstant(wallTime: string, zone: string): Date | undefined {
  const asUtc = parseWallTime(wallTime);
  if (asUtc === undefined) return undefined;
  const candidates = [getOffset(asUtc - DAY_MS, zone), getOffset(asUtc + DAY_MS, zone)].map(
    (offset) => asUtc - offset,
  );
  const valid = candidates.filter((instant) => instant + getOffset(instant, zone) === asUtc);
  return new Date(valid.length > 0 ? Math.min(...valid) : Math.max(...candidates));
}

/** Returns the wall time of an instant. */
export function instantToWallTime(instant: Date, zone: string): string {
  const seconds = Math.floor(instant.getTime() / 1000) * 1000;
  return formatWallTime(seconds + getOffset(seconds, zone));
}

/** Rounds a wall time up to a quarter-hour; undefined for invalid text. */
export function roundWallTime(wallTime: string): string | undefined {
  const asUtc = parseWallTime(wallTime);
  if (asUtc === undefined) return undefined;
  const step = STEP_MINUTES * 60_000;
  const roundedTime = formatWallTime(Math.ceil(asUtc / step) * step);
  return parseWallTime(roundedTime) === undefined ? undefined : roundedTime;
}

/**
 * Returns the wall time that the schedule dialog proposes: 15 minutes from now, rounded up to a
 * quarter-hour.
 */
export function proposeWallTime(now: Date, zone: string): string {
  let minutes = DEFAULT_OFFSET_MINUTES;
  for (;;) {
    const proposedAt = new Date(now.getTime() + minutes * 60_000);
    const wallTime = roundWallTime(instantToWallTime(proposedAt, zone)) as string;
    // In the second of two equal hours, the wall time would be converted to an instant in the first
    // one.
    if ((wallTimeToInstant(wallTime, zone) as Date) > now) return wallTime;
    minutes += STEP_MINUTES;
  }
}

function parseWallTime(wallTime: string): number | undefined {
  const match = WALL_TIME.exec(wallTime);
  if (match === null) return undefined;
  const [year, month, day, hour, minute, second] = match.slice(1).map(Number) as [
    number,
    number,
    number,
    number,
    number,
    number,
  ];
  if (year < FIRST_YEAR || year > LAST_YEAR) return undefined;
  const time = Date.UTC(year, month - 1, day, hour, minute, second);
  return formatWallTime(time) === wallTime ? time : undefined;
}

function formatWallTime(asUtc: number): string {
  return new Date(asUtc).toISOString().slice(0, 19).replace('T', ' ');
}

/** Returns the zone's offset from UTC at an instant, in milliseconds. */
function getOffset(instant: number, zone: string): number {
  const fields: Record<string, number> = {};
  for (const { type, value } of formatFor(zone).formatToParts(instant))
    fields[type] = Number(value);
  const { year = 0, month = 1, day = 1, hour = 0, minute = 0, second = 0 } = fields;
  const utcTime = Date.UTC(year, month - 1, day, hour, minute, second);
  return utcTime - Math.floor(instant / 1000) * 1000;
}

function formatFor(zone: string): Intl.DateTimeFormat {
  let format = formats.get(zone);
  if (format === undefined) {
    format = new Intl.DateTimeFormat('en-u-ca-gregory-nu-latn', {
      timeZone: zone,
      hourCycle: 'h23',
      year: 'numeric',
      month: 'numeric',
      day: 'numeric',
      hour: 'numeric',
      minute: 'numeric',
      second: 'numeric',
    });
    formats.set(zone, format);
  }
  return format;
}
