// Converts between the wall clock of a time zone and UTC.

const formats = new Map<string, Intl.DateTimeFormat>();
const offsets = new Map<string, number>();

/** Returns how many minutes the zone is ahead of UTC at an instant; cached per quarter-hour. */
function offsetAt(zone: string, at: number): number {
  const quarter = Math.floor(at / 900_000);
  const key = `${zone} ${quarter}`;
  let offset = offsets.get(key);
  if (offset === undefined) {
    if (offsets.size > 20_000) offsets.clear();
    offset = readOffset(zone, quarter * 900_000);
    offsets.set(key, offset);
  }
  return offset;
}

function readOffset(zone: string, at: number): number {
  let format = formats.get(zone);
  if (format === undefined) {
    format = new Intl.DateTimeFormat('en-US', { timeZone: zone, timeZoneName: 'longOffset' });
    formats.set(zone, format);
  }
  const name = format.formatToParts(at).find((part) => part.type === 'timeZoneName')?.value ?? '';
  const match = /GMT([+-])(\d{2}):(\d{2})/.exec(name);
  if (match === null) return 0;
  return (Number(match[2]) * 60 + Number(match[3])) * (match[1] === '-' ? -1 : 1);
}

/**
 * Converts `YYYY-MM-DD HH:MM:SS` on the zone's wall clock, or in UTC with a `Z`, to an instant. In
 * an hour skipped by daylight saving time the later instant is used, in a repeated hour the
 * earlier.
 */
export function wallTimeToInstant(text: string, zone: string): Date {
  const wallMs = Date.parse(`${text.slice(0, 19).replace(' ', 'T')}Z`);
  if (text.endsWith('Z')) return new Date(wallMs);
  const before = offsetAt(zone, wallMs - 86_400_000) * 60_000;
  const after = offsetAt(zone, wallMs + 86_400_000) * 60_000;
  const candidates = [wallMs - before, wallMs - after]
    .filter((at) => at + offsetAt(zone, at) * 60_000 === wallMs)
    .sort((a, b) => a - b);
  return new Date(candidates[0] ?? wallMs - before);
}

/** Formats an instant as `YYYY-MM-DD HH:MM:SS` on the zone's wall clock. */
export function toWallTime(at: Date, zone: string): string {
  const shiftedDate = new Date(at.getTime() + offsetAt(zone, at.getTime()) * 60_000);
  return shiftedDate.toISOString().slice(0, 19).replace('T', ' ');
}
