// One entry of the calendar: its time, kind and title, with a menu of actions.
import { IconArrowsMove, IconExternalLink, IconPlayerSkipForward } from '@tabler/icons-react';
import { type RefObject, useState } from 'react';
import { useFormats } from '#platform/web/texts/formats.ts';
import { useTexts } from '#platform/web/texts/texts.ts';
import { MenuEntry, MenuOrSheet } from '#platform/web/ui/menu-or-sheet.tsx';
import type { CalendarEntry } from '../contract.ts';
import classes from './calendar.module.css';

export interface EntryActions {
  zone: string;
  startMove: (entry: CalendarEntry) => void;
  skip: (entry: CalendarEntry) => void;
}

export const entryKey = ({ kind, id, on, at }: CalendarEntry) => `${kind} ${id} ${on ?? ''} ${at}`;

interface EntryProps {
  entry: CalendarEntry;
  actions: EntryActions;
  /** The button of a draggable entry. */
  button?: RefObject<HTMLButtonElement | null>;
}

export function Entry({ entry, actions, button }: EntryProps) {
  const t = useTexts('calendar');
  const { time } = useFormats();
  const text = useEntryText();
  const [isOpen, setOpen] = useState(false);
  const isMovable = entry.movable !== null;
  const isOccurrence = entry.kind === 'occurrence' || entry.kind === 'sms_occurrence';
  return (
    <MenuOrSheet
      isOpen={isOpen}
      onChange={setOpen}
      label={entry.title}
      position="bottom-start"
      width={240}
      target={
        <button
          ref={button}
          type="button"
          className={classes.entry}
          data-kind={entry.kind}
          data-state={entry.state}
          data-movable={(isMovable && button !== undefined) || undefined}
          title={text(entry)}
          onClick={() => setOpen(!isOpen)}
        >
          {entry.kind !== 'workflow' && (
            <span className={classes.time}>{time(entry.at, actions.zone)}</span>
          )}
          <bdi className={classes.title}>{entry.title}</bdi>
          <span className={classes.about}>{text(entry)}</span>
        </button>
      }
    >
      <MenuEntry icon={<IconExternalLink size={16} stroke={1.75} />} to={pathOf(entry)}>
        {t('open')}
      </MenuEntry>
      {isMovable && (
        <MenuEntry
          icon={<IconArrowsMove size={16} stroke={1.75} />}
          run={() => actions.startMove(entry)}
        >
          {t('move.open')}
        </MenuEntry>
      )}
      {isOccurrence && (
        <MenuEntry
          icon={<IconPlayerSkipForward size={16} stroke={1.75} />}
          run={() => actions.skip(entry)}
        >
          {t('skip')}
        </MenuEntry>
      )}
    </MenuOrSheet>
  );
}

/** Returns a function that summarizes an entry's kind, state and recipients in a few words. */
function useEntryText(): (entry: CalendarEntry) => string {
  const t = useTexts('calendar');
  const { number, list } = useFormats();
  return ({ kind, state, people }) => {
    const parts: string[] = [t(`kinds.${kind}`)];
    if (state !== 'planned') parts.push(t(`states.${state}`));
    if (people !== null) {
      const key = kind === 'workflow' ? 'about' : 'people';
      parts.push(t(key, { total: number(people) }));
    }
    return list(parts, 'unit');
  };
}

function pathOf({ kind, id }: CalendarEntry): string {
  if (kind === 'workflow') return `/automation/builder/${id}`;
  if (kind === 'sms_occurrence') return `/sms/${id}/confirm`;
  if (kind === 'occurrence') return `/campaigns/${id}/confirm`;
  return kind === 'sms' || kind === 'sms_decision' ? `/sms/${id}` : `/campaigns/${id}`;
}
