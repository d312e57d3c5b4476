// The mark on a block with open comments; pressing it shows them.
import { IconMessage } from '@tabler/icons-react';
import { useFormats } from '#platform/web/texts/formats.ts';
import { useTexts } from '#platform/web/texts/texts.ts';
import { useEditor, useEditorState } from '../store.ts';
import classes from './canvas.module.css';

export function CommentMark({ id }: { id: string }) {
  const t = useTexts('content');
  const { number } = useFormats();
  const { store } = useEditor();
  const count = useEditorState(({ comments }) => comments?.[id] ?? 0);
  if (count === 0) return null;
  return (
    <button
      type="button"
      className={classes.comments}
      dir="auto"
      aria-label={t('canvas.comments', { count, n: number(count) })}
      onClick={(event) => {
        event.stopPropagation();
        store.setState({ selected: id, commentedBlockId: id });
      }}
    >
      <IconMessage size={14} stroke={1.75} aria-hidden="true" />
      {number(count)}
    </button>
  );
}
