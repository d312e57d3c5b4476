// Shows the days of a month or a week as a grid. Users can drag an entry to another day.
import { useEffect, useRef, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { useFormats } from '#platform/web/texts/formats.ts';
import { useTexts } from '#platform/web/texts/texts.ts';
import { toPersianDay, usePersianCalendar } from '#platform/web/texts/persian-calendar.ts';
import type { CalendarEntry } from '../contract.ts';
import classes from './calendar.module.css';
import { Entry, type EntryActions, entryKey } from './entry.tsx';
import { type DayTarget, useDraggable, useDropTarget, watchDragging } from './dragging.ts';
import type { Moving } from './moving.ts';
import { useDayLabel } from './use-day-label.ts';

/**
 * The maximum number of lines on a day of the month. If there are more entries, the last line is a
 * button that opens the agenda at the day.
 */
const MAX_LINES = 4;
/** Maximum number of dots on a day on phones; more entries are shown as a number. */
const MAX_DOTS = 3;

export interface GridProps {
  weeks: string[][];
  getEntries: (day: string) => CalendarEntry[];
  today: string;
  /** Whether a day is in the shown month; other days are dimmed. */
  isInside: (day: string) => boolean;
  actions: EntryActions;
  moving: Moving;
  /** Opens the agenda at a day. */
  showDay: (day: string) => void;
  isWeek: boolean;
  /** Whether the screen is small: days then have only dots, and weekdays one letter. */
  isSmall: boolean;
}

export default function Grid(props: GridProps) {
  const { weeks, moving } = props;
  const [over, setOver] = useState<string | null>(null);
  const latest = useRef(moving);
  latest.current = moving;
  useEffect(
    () =>
      watchDragging({
        start: () => setOver(null),
        move: (target) => setOver(target?.id ?? null),
        drop: (entry, target) => {
          setOver(null);
          if (target) void latest.current.moveToDay(entry, target.id);
        },
      }),
    [],
  );
  return (
    <div className={classes.grid} data-week={props.isWeek || undefined}>
      {(weeks[0] ?? []).map((day) => (
        <Weekday key={day} day={day} width={props.isSmall ? 'narrow' : 'short'} />
      ))}
      {weeks.flat().map((day) => (
        <Day key={day} {...props} day={day} isOver={over === day} />
      ))}
    </div>
  );
}

function Weekday({ day, width }: { day: string; width: 'narrow' | 'short' }) {
  const { i18n } = useTranslation();
  const format = new Intl.DateTimeFormat(i18n.language, { weekday: width, timeZone: 'UTC' });
  return (
    <div className={classes.weekday} aria-hidden="true">
      {format.format(new Date(`${day}T00:00:00Z`))}
    </div>
  );
}

type DayProps = GridProps & { day: string; isOver: boolean };

function Day({ day, isOver, getEntries, today, isInside, actions, showDay, isWeek }: DayProps) {
  const t = useTexts('calendar');
  const { number } = useFormats();
  const isPersian = usePersianCalendar();
  const label = useDayLabel()(day);
  const cell = useRef<HTMLElement>(null);
  useDropTarget(cell, { kind: 'day', id: day } satisfies DayTarget);
  const entries = getEntries(day);
  const visibleEntries =
    isWeek || entries.length <= MAX_LINES ? entries : entries.slice(0, MAX_LINES - 1);
  const hiddenCount = entries.length - visibleEntries.length;
  const date = isPersian ? (toPersianDay(day)?.day ?? 0) : Number(day.slice(8));
  return (
    <section
      ref={cell}
      className={classes.day}
      aria-label={label}
      data-day={day}
      data-today={day === today || undefined}
      data-outside={!isInside(day) || undefined}
      data-over={isOver || undefined}
    >
      <button
        type="button"
        className={classes.date}
        aria-label={t('showDay', { day: label, total: number(entries.length) })}
        aria-current={day === today ? 'date' : undefined}
        onClick={() => showDay(day)}
      >
        <span>{number(date)}</span>
        {entries.length > 0 && <Dots entries={entries} />}
      </button>
      <div className={classes.entries}>
        {visibleEntries.map((entry) => (
          <DraggableEntry key={entryKey(entry)} entry={entry} actions={actions} />
        ))}
        {hiddenCount > 0 && (
          <button type="button" className={classes.more} onClick={() => showDay(day)}>
            {t('more', { total: number(hiddenCount) })}
          </button>
        )}
      </div>
    </section>
  );
}

function Dots({ entries }: { entries: CalendarEntry[] }) {
  const { number } = useFormats();
  const isLate = entries.some(({ state }) => state === 'late' || state === 'stopped');
  return (
    <span className={classes.dots} aria-hidden="true">
      {entries.length > MAX_DOTS ? (
        <b data-state={isLate ? 'late' : undefined}>{number(entries.length)}</b>
      ) : (
        entries.map((entry) => (
          <i key={entryKey(entry)} data-kind={entry.kind} data-state={entry.state} />
        ))
      )}
    </span>
  );
}

function DraggableEntry({ entry, actions }: { entry: CalendarEntry; actions: EntryActions }) {
  const button = useRef<HTMLButtonElement>(null);
  useDraggable(button, () => entry, entry.movable !== null);
  return <Entry entry={entry} actions={actions} button={button} />;
}
