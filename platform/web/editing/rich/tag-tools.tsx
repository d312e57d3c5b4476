// Merge tags in text: inserted from a menu; the fallback of a selected tag is editable.
import { Button, TextInput } from '@mantine/core';
import type { Editor } from '@tiptap/core';
import { useTexts } from '#platform/web/texts/texts.ts';
import { type MergeTag, useEditingContext } from '../editing-context.ts';
import { isAlwaysThere, TagMenu } from '../tag-menu.tsx';
import { readTag, withFallback } from './tags.ts';
import classes from './toolbar.module.css';

export function TextTagMenu({ editor }: { editor: Editor }) {
  const { mergeTags } = useEditingContext();
  const insert = (raw: string, tag: MergeTag) => {
    editor.chain().focus().insertContent({ type: 'mergeTag', attrs: { raw } }).run();
    if (isAlwaysThere(tag)) return;
    // Selects the chip, so that its fallback can be edited immediately.
    editor.commands.setNodeSelection(editor.state.selection.from - 1);
  };
  return <TagMenu mergeTags={mergeTags} onInsert={insert} />;
}

/** Edits the selected chip's fallback for subscribers without a value. */
export function TagTools({ editor, raw }: { editor: Editor; raw: string }) {
  const t = useTexts('editing');
  const { mergeTags } = useEditingContext();
  const { name, fallback } = readTag(raw);
  const applyFallback = (fallbackText: string | null) => {
    const at = editor.state.selection.from;
    const raws = { raw: withFallback(raw, fallbackText) };
    editor.chain().updateAttributes('mergeTag', raws).setNodeSelection(at).run();
  };
  const leave = () => editor.commands.focus(editor.state.selection.to);
  return (
    <div className={classes.bar} role="toolbar" aria-label={t('words.tools')}>
      <span className="merge-tag">{mergeTags.find((tag) => tag.name === name)?.title ?? name}</span>
      <TextInput
        size="xs"
        w={220}
        aria-label={t('words.fallback')}
        placeholder={t('words.fallback')}
        value={fallback ?? ''}
        onChange={(event) => applyFallback(event.currentTarget.value)}
        onKeyDown={(event) => {
          if (event.key === 'Enter' || event.key === 'Escape') {
            event.preventDefault();
            event.stopPropagation();
            leave();
          }
        }}
      />
      <Button size="compact-sm" variant="default" onClick={leave}>
        {t('done')}
      </Button>
    </div>
  );
}
