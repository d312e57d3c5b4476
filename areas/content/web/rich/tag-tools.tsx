// Merge tags among the words: one is put in from a menu; on a selected one its fallback is written.
import { Button, Menu, ScrollArea, TextInput } from '@mantine/core';
import { IconBraces } from '@tabler/icons-react';
import type { Editor } from '@tiptap/core';
import { useTexts } from '#platform/web/texts.ts';
import { useEditorProps, useMailFacts } from '../editor-props.ts';
import { readTag, withFallback } from './tags.ts';
import classes from './toolbar.module.css';

const KINDS = ['person', 'field', 'variable', 'system'] as const;

export function TagMenu({ editor }: { editor: Editor }) {
  const t = useTexts('content');
  const { mergeTags } = useEditorProps();
  const insert = (name: string, kind: string) => {
    const raw = kind === 'system' || name === 'email' ? `{{${name}}}` : `{{${name} | default: ""}}`;
    editor.chain().focus().insertContent({ type: 'mergeTag', attrs: { raw } }).run();
    if (kind === 'system' || name === 'email') return;
    // The chip is selected, so that its fallback can be written at once.
    editor.commands.setNodeSelection(editor.state.selection.from - 1);
  };
  return (
    <Menu shadow="md" width={260} position="bottom-end">
      <Menu.Target>
        <Button
          size="compact-sm"
          variant="default"
          leftSection={<IconBraces size={16} stroke={1.75} />}
          onMouseDown={(event) => event.preventDefault()}
        >
          {t('words.tag')}
        </Button>
      </Menu.Target>
      <Menu.Dropdown>
        <ScrollArea.Autosize mah={320}>
          {KINDS.map((kind) => {
            const some = mergeTags.filter((tag) => tag.kind === kind);
            return (
              some.length > 0 && (
                <div key={kind}>
                  <Menu.Label>{t(`tagKinds.${kind}`)}</Menu.Label>
                  {some.map(({ name, title }) => (
                    <Menu.Item key={name} onClick={() => insert(name, kind)}>
                      {title}
                    </Menu.Item>
                  ))}
                </div>
              )
            );
          })}
        </ScrollArea.Autosize>
      </Menu.Dropdown>
    </Menu>
  );
}

/** A chip is selected: what stands in for people without a value. */
export function TagTools({ editor, raw }: { editor: Editor; raw: string }) {
  const t = useTexts('content');
  const { tagLabel } = useMailFacts();
  const { name, fallback } = readTag(raw);
  const put = (words: string | null) => {
    const at = editor.state.selection.from;
    const raws = { raw: withFallback(raw, words) };
    editor.chain().updateAttributes('mergeTag', raws).setNodeSelection(at).run();
  };
  const leave = () => editor.commands.focus(editor.state.selection.to);
  return (
    <div className={classes.bar} role="toolbar" aria-label={t('words.tools')}>
      <span className="merge-tag">{tagLabel(name)}</span>
      <TextInput
        size="xs"
        w={220}
        aria-label={t('words.fallback')}
        placeholder={t('words.fallback')}
        value={fallback ?? ''}
        onChange={(event) => put(event.currentTarget.value)}
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
