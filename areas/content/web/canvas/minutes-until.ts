// Computes the minutes left until the deadline of a countdown, which is a wall time in a zone.

const MINUTE_MS = 60_000;

/** Returns the zone's wall time at this instant, in milliseconds as if it were a time in UTC. */
function toWallTime(at: number, zone: string): number {
  const wallTime = new Date(at).toLocaleString('sv-SE', { timeZone: zone });
  return Date.parse(`${wallTime.replace(' ', 'T')}Z`);
}

/** Returns whole minutes: 0 after the end, undefined if `endsAt` or the zone is invalid. */
export function minutesUntil(endsAt: string, zone: string, now: number): number | undefined {
  const localTime = Date.parse(`${endsAt}:00Z`);
  if (Number.isNaN(localTime)) return undefined;
  try {
    // The offset at `localTime` gives a guess; near a change of the clocks, the offset at the guess
    // corrects it.
    const guess = localTime - (toWallTime(localTime, zone) - localTime);
    const end = localTime - (toWallTime(guess, zone) - guess);
    return Math.max(0, Math.ceil(end / MINUTE_MS) - Math.floor(now / MINUTE_MS));
  } catch {
    return undefined;
  }
}
