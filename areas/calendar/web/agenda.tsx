// The agenda: a list of the days that have entries.
import type { CalendarEntry } from '../contract.ts';
import classes from './calendar.module.css';
import { Entry, type EntryActions, entryKey } from './entry.tsx';
import { useDayLabel } from './use-day-label.ts';

interface AgendaProps {
  days: string[];
  getEntries: (day: string) => CalendarEntry[];
  today: string;
  actions: EntryActions;
}

export function Agenda({ days, getEntries, today, actions }: AgendaProps) {
  const label = useDayLabel();
  return (
    <ol className={classes.agenda}>
      {days
        .filter((day) => getEntries(day).length > 0)
        .map((day) => (
          <li key={day} data-day={day} data-today={day === today || undefined}>
            <h2>{label(day)}</h2>
            <div className={classes.list}>
              {getEntries(day).map((entry) => (
                <Entry key={entryKey(entry)} entry={entry} actions={actions} />
              ))}
            </div>
          </li>
        ))}
    </ol>
  );
}
