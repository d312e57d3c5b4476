// Tags in an item's row: the archive, its folder and its labels.
import { IconArchive, IconFolder } from '@tabler/icons-react';
import { useTexts } from '#platform/web/texts/texts.ts';
import type { ItemPlacement } from '../items-contract.ts';
import type { LabelColor } from '../shared.ts';
import classes from './folders.module.css';

export function PlaceTags({ placement }: { placement: ItemPlacement }) {
  const t = useTexts('folders');
  const { folder, labels, is_archived: isArchived } = placement;
  if (!isArchived && folder === null && labels.length === 0) return null;
  return (
    <span className={classes.tags}>
      {isArchived && (
        <span className={classes.tag}>
          <IconArchive size={14} stroke={1.75} aria-hidden="true" />
          {t('archive')}
        </span>
      )}
      {folder && (
        <span className={classes.tag}>
          <IconFolder size={14} stroke={1.75} aria-hidden="true" />
          <bdi>{folder.title}</bdi>
        </span>
      )}
      {labels.map((label) => (
        <span key={label.id} className={classes.tag}>
          <LabelDot color={label.color} />
          <bdi>{label.title}</bdi>
        </span>
      ))}
    </span>
  );
}

export function LabelDot({ color }: { color: LabelColor }) {
  const background = `var(--mantine-color-${color}-6)`;
  return <span className={classes.dot} style={{ background }} aria-hidden="true" />;
}
