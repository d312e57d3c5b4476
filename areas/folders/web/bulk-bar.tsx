// Actions on the selected items of a list.
import { Button } from '@mantine/core';
import { useTexts } from '#platform/web/texts/texts.ts';
import { type ItemPlace, useItemActs, useItemDialogs } from './acts.ts';
import classes from './folders.module.css';

interface BulkBarProps {
  place: ItemPlace;
  ids: readonly string[];
  /** The list shows the archive. */
  isArchive: boolean;
  clear: () => void;
}

export default function BulkBar({ place, ids, isArchive, clear }: BulkBarProps) {
  const t = useTexts('folders');
  const acts = useItemActs(place);
  const dialogs = useItemDialogs(place);
  const finish = (isDone: boolean) => {
    if (isDone) clear();
  };
  const archive = isArchive ? acts.unarchive : acts.archive;
  const buttons = [
    {
      label: t(isArchive ? 'acts.unarchive' : 'acts.archive'),
      run: () => archive(ids).then(clear),
    },
    { label: t('acts.move'), run: () => dialogs.move(ids).then(finish) },
    { label: t('acts.addLabel'), run: () => dialogs.addLabel(ids).then(finish) },
    { label: t('acts.removeLabel'), run: () => dialogs.removeLabel(ids).then(finish) },
    { label: t('acts.duplicate'), run: () => acts.duplicate(ids).then(clear) },
  ];
  return (
    <div className={classes.bulk} role="region" aria-label={t('bulk')}>
      <span className={classes.count} aria-live="polite">
        {t('selected', { count: ids.length })}
      </span>
      <Button variant="subtle" size="compact-sm" onClick={clear}>
        {t('deselect')}
      </Button>
      <span className={classes.acts}>
        {buttons.map(({ label, run }) => (
          <Button key={label} variant="default" size="xs" onClick={() => void run()}>
            {label}
          </Button>
        ))}
        <Button
          variant="default"
          size="xs"
          c="danger"
          onClick={() => void dialogs.deleteDrafts(ids).then(finish)}
        >
          {t('acts.deleteDrafts')}
        </Button>
      </span>
    </div>
  );
}
