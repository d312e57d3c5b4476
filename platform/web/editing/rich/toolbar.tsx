// The text toolbar, above the canvas while text is open for editing. It never takes the focus from
// the text.
import {
  IconAlignCenter,
  IconAlignLeft,
  IconAlignRight,
  IconBold,
  IconClearFormatting,
  IconItalic,
  IconList,
  IconListNumbers,
  IconStrikethrough,
  IconUnderline,
} from '@tabler/icons-react';
import type { Editor } from '@tiptap/core';
import { useEditorState as useWordState } from '@tiptap/react';
import { useTexts } from '#platform/web/texts/texts.ts';
import { LinkTool } from './link-tool.tsx';
import { ColorTool, EmojiTool, SizeTool } from './style-tools.tsx';
import { TagTools, TextTagMenu } from './tag-tools.tsx';
import { Tool } from './tool.tsx';
import classes from './toolbar.module.css';

/** Formatting of the selected text. */
const useMarks = (editor: Editor) =>
  useWordState({
    editor,
    selector: ({ editor: now }) => ({
      bold: now.isActive('bold'),
      italic: now.isActive('italic'),
      underline: now.isActive('underline'),
      strike: now.isActive('strike'),
      bullets: now.isActive('bulletList'),
      numbers: now.isActive('orderedList'),
      start: now.isActive({ textAlign: 'start' }),
      center: now.isActive({ textAlign: 'center' }),
      end: now.isActive({ textAlign: 'end' }),
      tag: now.isActive('mergeTag') ? String(now.getAttributes('mergeTag').raw) : null,
    }),
  });

export default function TextTools({ editor }: { editor: Editor }) {
  const t = useTexts('editing');
  const marks = useMarks(editor);
  const chain = () => editor.chain().focus();
  if (marks.tag !== null) return <TagTools editor={editor} raw={marks.tag} />;
  return (
    <div className={classes.bar} role="toolbar" aria-label={t('words.tools')}>
      <Tool
        icon={IconBold}
        label={t('words.bold')}
        isOn={marks.bold}
        onClick={() => chain().toggleBold().run()}
      />
      <Tool
        icon={IconItalic}
        label={t('words.italic')}
        isOn={marks.italic}
        onClick={() => chain().toggleItalic().run()}
      />
      <Tool
        icon={IconUnderline}
        label={t('words.underline')}
        isOn={marks.underline}
        onClick={() => chain().toggleUnderline().run()}
      />
      <Tool
        icon={IconStrikethrough}
        label={t('words.strike')}
        isOn={marks.strike}
        onClick={() => chain().toggleStrike().run()}
      />
      <SizeTool editor={editor} />
      <ColorTool editor={editor} />
      <LinkTool editor={editor} />
      <span className={classes.rule} />
      <Tool
        icon={IconList}
        label={t('words.bullets')}
        isOn={marks.bullets}
        onClick={() => chain().toggleBulletList().run()}
      />
      <Tool
        icon={IconListNumbers}
        label={t('words.numbers')}
        isOn={marks.numbers}
        onClick={() => chain().toggleOrderedList().run()}
      />
      <AlignTools editor={editor} activeMarks={marks} />
      <span className={classes.rule} />
      <EmojiTool editor={editor} />
      <Tool
        icon={IconClearFormatting}
        label={t('words.clear')}
        onClick={() => chain().unsetAllMarks().run()}
      />
      <TextTagMenu editor={editor} />
    </div>
  );
}

type ToolsProps = { editor: Editor; activeMarks: ReturnType<typeof useMarks> };

function AlignTools({ editor, activeMarks }: ToolsProps) {
  const t = useTexts('editing');
  const chain = () => editor.chain().focus();
  const align = (side: 'start' | 'center' | 'end') => () =>
    (activeMarks[side] ? chain().unsetTextAlign() : chain().setTextAlign(side)).run();
  return (
    <span className={classes.mirrored}>
      <Tool
        icon={IconAlignLeft}
        label={t('align.start')}
        isOn={activeMarks.start}
        onClick={align('start')}
      />
      <Tool
        icon={IconAlignCenter}
        label={t('align.center')}
        isOn={activeMarks.center}
        onClick={align('center')}
      />
      <Tool
        icon={IconAlignRight}
        label={t('align.end')}
        isOn={activeMarks.end}
        onClick={align('end')}
      />
    </span>
  );
}
