// Converts a broadcast's timing to the rule of its waves and its start instant.
import { findBestHour, type WaveRule } from '#areas/delivery/server/ledger/index.ts';
import { clock } from '#platform/server/clock.ts';
import type { Reader } from '#platform/server/database/database.ts';
import { invalid } from '#platform/server/errors.ts';
import { toWallTime } from '#platform/server/zoned-time.ts';
import { DEFAULT_TIMING } from '../../shared.ts';
import type { SendWindow, BroadcastTiming } from '../../timing-contract.ts';
import { wallTimeToInstant } from '../../wall-time.ts';
import type { BroadcastRow } from '../adapter.ts';
import { findWindow } from './windows.sql.ts';

export const getTiming = ({ timing }: Pick<BroadcastRow, 'timing'>): BroadcastTiming =>
  timing ?? { ...DEFAULT_TIMING };

/** The easternmost and westernmost time zones. */
const FIRST_ZONE = 'Pacific/Kiritimati';
const LAST_ZONE = 'Etc/GMT+12';
/** Hour of the day for best hours, if the account has too little data when the broadcast starts. */
const DEFAULT_HOUR = 10;

/**
 * Returns the instant when the broadcast starts, or undefined if its time has passed.
 * - With one time for all, the broadcast starts at this time, or now if it has none.
 * - With own times or best hours, it starts when the first time zone reaches the time (the day for
 *   best hours), or now if that has passed. The time has passed once it has in every time zone.
 */
export function computeSendStart(
  timing: BroadcastTiming,
  wallTime: string | null,
  zone: string,
): Date | undefined {
  const now = clock.now();
  if (timing.when === 'time') {
    if (wallTime === null) return now;
    const instant = wallTimeToInstant(wallTime, zone) as Date;
    return instant > now ? instant : undefined;
  }
  const { from, to } = computeOwnTimes(timing, wallTime ?? toWallTime(now, zone));
  const firstInstant = wallTimeToInstant(from, FIRST_ZONE) as Date;
  if (firstInstant > now) return firstInstant;
  return (wallTimeToInstant(to, LAST_ZONE) as Date) > now ? now : undefined;
}

/** Returns the first and the last wall time of the recipients. */
function computeOwnTimes(
  { when }: BroadcastTiming,
  wallTime: string,
): { from: string; to: string } {
  if (when === 'own_time') return { from: wallTime, to: wallTime };
  const date = wallTime.slice(0, 10);
  return { from: `${date} 00:00:00`, to: `${date} 23:00:00` };
}

/**
 * Returns the instant when the last time zone reaches the own times of a broadcast, or undefined if
 * it has one time for all or no schedule.
 */
export function computeLastOwnTime(
  row: Pick<BroadcastRow, 'timing' | 'schedule_time'>,
): Date | undefined {
  const timing = getTiming(row);
  if (timing.when === 'time' || row.schedule_time === null) return undefined;
  return wallTimeToInstant(computeOwnTimes(timing, row.schedule_time).to, LAST_ZONE);
}

/** @throws `invalid` for own times without a time */
export async function readWaveRule(
  db: Reader,
  accountId: number,
  timing: BroadcastTiming,
  times: { wallTime: string | null; zone: string; at: Date; salt: string },
): Promise<WaveRule> {
  const { wallTime, zone, at, salt } = times;
  if (timing.when === 'own_time' && wallTime === null) {
    throw invalid({ schedule_time: ['errors.timing_needs_time'] });
  }
  const window = timing.window === 'default' ? await findWindow(db, accountId) : timing.window;
  const bestHour = timing.when === 'best_hour' ? await findBestHour(db, accountId) : undefined;
  return {
    when: buildWaveStart(
      timing,
      wallTime ?? toWallTime(at, zone),
      at,
      bestHour?.hour ?? DEFAULT_HOUR,
    ),
    zone,
    startedAt: at.toISOString(),
    past: timing.past,
    window: window && isLimit(window) ? window : null,
    spreadHours: timing.spread_hours,
    salt,
  };
}

function buildWaveStart(
  { when }: BroadcastTiming,
  wallTime: string,
  at: Date,
  hour: number,
): WaveRule['when'] {
  if (when === 'own_time') return { by: 'wall', wall: wallTime };
  if (when === 'best_hour') return { by: 'hour', date: wallTime.slice(0, 10), hour };
  return { by: 'instant', at: at.toISOString() };
}

/** Returns whether the window limits anything: a window of all hours and days does not. */
const isLimit = ({ from, to, days }: SendWindow) => from > 0 || to < 24 || new Set(days).size < 7;
