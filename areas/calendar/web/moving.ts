// Moves entries to another time, and skips occurrences of series; each change can be undone.
import { wallTimeToInstant, instantToWallTime } from '#areas/broadcasts/wall-time.ts';
import { invalidate } from '#platform/web/api/queries.ts';
import { showError } from '#platform/web/errors/errors.ts';
import { failure, undoable } from '#platform/web/errors/notices.tsx';
import { useFormats } from '#platform/web/texts/formats.ts';
import { useTexts } from '#platform/web/texts/texts.ts';
import type { CalendarEntry } from '../contract.ts';
import { CALENDAR, moveEntry, skipOccurrence, unskipOccurrence } from './queries.ts';

/**
 * Returns the locale key of the reason why an entry cannot be moved to a time, or undefined if it
 * can.
 */
export function findObstacle(
  entry: CalendarEntry,
  at: Date,
  now: Date,
): 'past' | 'resendEarly' | 'resendLate' | undefined {
  if (at <= now) return 'past';
  const { from, to } = entry.movable ?? {};
  if (from && at < new Date(from)) return 'resendEarly';
  if (to && at > new Date(to)) return 'resendLate';
  return undefined;
}

export function useMoving(zone: string) {
  const t = useTexts('calendar');
  const { dateTime } = useFormats();
  const saveEntry = async (
    entry: CalendarEntry,
    wallTime: string,
  ): Promise<CalendarEntry | undefined> => {
    try {
      return await moveEntry(entry, wallTime, zone);
    } catch (error) {
      showError(error);
      return undefined;
    } finally {
      await invalidate(CALENDAR);
    }
  };
  /** Returns true if the entry was moved. */
  const move = async (entry: CalendarEntry, wallTime: string): Promise<boolean> => {
    const at = wallTimeToInstant(wallTime, zone);
    if (at === undefined || at.getTime() === Date.parse(entry.at)) return false;
    const obstacle = findObstacle(entry, at, new Date());
    if (obstacle !== undefined) {
      failure(t(`obstacles.${obstacle}`));
      return false;
    }
    const before = instantToWallTime(new Date(entry.at), zone);
    const movedEntry = await saveEntry(entry, wallTime);
    if (movedEntry === undefined) return false;
    undoable(t('moved', { title: entry.title, time: dateTime(at, zone) }), () => {
      void saveEntry(movedEntry, before);
    });
    return true;
  };
  return {
    move,
    /** Moves an entry to another day at the same time of day. */
    moveToDay: (entry: CalendarEntry, day: string) =>
      move(entry, `${day} ${instantToWallTime(new Date(entry.at), zone).slice(11)}`),
    skip: async (entry: CalendarEntry) => {
      try {
        await skipOccurrence(entry);
        undoable(t('skipped', { title: entry.title }), () => {
          void unskipOccurrence(entry)
            .then(() => invalidate(CALENDAR))
            .catch(showError);
        });
      } catch (error) {
        showError(error);
      }
      await invalidate(CALENDAR);
    },
  };
}

export type Moving = ReturnType<typeof useMoving>;
