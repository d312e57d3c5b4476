// Actions on the selected items of a list.
import { Button } from '@mantine/core';
import { useTexts } from '#platform/web/texts/texts.ts';
import { SelectionBar } from '#platform/web/ui/selection-bar.tsx';
import { type ItemPlace, useItemActions, useItemDialogs } from './acts.ts';

interface BulkBarProps {
  place: ItemPlace;
  ids: readonly string[];
  /** Whether the list shows the archived items instead of the others. */
  isArchive: boolean;
  clear: () => void;
}

export default function BulkBar({ place, ids, isArchive, clear }: BulkBarProps) {
  const t = useTexts('folders');
  const actions = useItemActions(place);
  const dialogs = useItemDialogs(place);
  const finish = (isDone: boolean) => {
    if (isDone) clear();
  };
  const toggleArchived = isArchive ? actions.unarchive : actions.archive;
  const buttons = [
    {
      label: t(isArchive ? 'acts.unarchive' : 'acts.archive'),
      run: () => toggleArchived(ids).then(finish),
    },
    { label: t('acts.move'), run: () => dialogs.move(ids).then(finish) },
    { label: t('acts.addLabel'), run: () => dialogs.addLabel(ids).then(finish) },
    { label: t('acts.removeLabel'), run: () => dialogs.removeLabel(ids).then(finish) },
    { label: t('acts.duplicate'), run: () => actions.duplicate(ids).then(finish) },
  ];
  return (
    <SelectionBar
      label={t('bulk')}
      selectedText={t('selected', { count: ids.length })}
      deselectLabel={t('deselect')}
      clear={clear}
    >
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
    </SelectionBar>
  );
}
