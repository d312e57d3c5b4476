// The words of a block while somebody writes in them: Tiptap in the place and with the look of the words.
// It begins with what the document has and from then on gives it: whatever else changes the document
// (a step back, another tab's version) closes it first.
import { type Editor, Node } from '@tiptap/core';
import { Link } from '@tiptap/extension-link';
import { TextAlign } from '@tiptap/extension-text-align';
import { BackgroundColor, Color, FontSize, TextStyle } from '@tiptap/extension-text-style';
import { EditorContent, useEditor as useTiptap } from '@tiptap/react';
import StarterKit from '@tiptap/starter-kit';
import { useEffect, useRef } from 'react';
import { useTexts } from '#platform/web/texts.ts';
import { isAddress, type RichText } from '#platform/rich-text.ts';
import { takeClick } from './click.ts';
import { OwnClipboard } from './clipboard.ts';
import { fromElements, readTag, toElements } from './tags.ts';

export interface RichEditorProps {
  html: RichText;
  /** One paragraph without a `p` around it: headings, cells. */
  isLine?: boolean;
  /** "Text" where nothing else is said. */
  label?: string;
  onChange: (html: RichText) => void;
  onLeave: () => void;
  /** The words are open; what it returns is called when they are closed. */
  onOpen: (words: Editor) => () => void;
  tagLabel: (name: string) => string;
}

const tagNode = (labelOf: (name: string) => string) =>
  Node.create({
    name: 'mergeTag',
    group: 'inline',
    inline: true,
    atom: true,
    addAttributes: () => ({
      raw: {
        default: '',
        parseHTML: (element) => element.getAttribute('data-tag') ?? '',
        renderHTML: ({ raw }) => ({ 'data-tag': String(raw) }),
      },
    }),
    parseHTML: () => [{ tag: 'span[data-tag]' }],
    renderHTML: ({ HTMLAttributes }) => [
      'span',
      { ...HTMLAttributes, class: 'merge-tag' },
      labelOf(readTag(String(HTMLAttributes['data-tag'])).name),
    ],
    renderText: ({ node }) => String(node.attrs.raw),
  });

const extensions = (labelOf: (name: string) => string) => [
  StarterKit.configure({
    heading: false,
    blockquote: false,
    code: false,
    codeBlock: false,
    horizontalRule: false,
    link: false,
    // The editor's own history covers the whole mail.
    undoRedo: false,
    trailingNode: false,
  }),
  Link.configure({
    openOnClick: false,
    autolink: true,
    defaultProtocol: 'https',
    isAllowedUri: (url, { defaultValidate }) => isAddress(url) || defaultValidate(url),
    HTMLAttributes: { target: null, rel: null },
  }),
  TextStyle,
  Color,
  BackgroundColor,
  FontSize,
  TextAlign.configure({
    types: ['paragraph'],
    alignments: ['start', 'center', 'end', 'justify'],
    defaultAlignment: '',
  }),
  tagNode(labelOf),
  OwnClipboard,
];

const toTiptap = (html: RichText, isLine: boolean) =>
  toElements(isLine && !/^\s*<p\b/.test(html) ? `<p>${html}</p>` : html);

function fromTiptap(html: string, isLine: boolean): RichText {
  const rich = fromElements(html);
  if (rich === '<p></p>') return '';
  if (!isLine) return rich;
  return rich.replace(/<\/p>\s*<p[^>]*>/g, '<br>').replace(/^<p[^>]*>|<\/p>$/g, '');
}

export default function RichEditor(props: RichEditorProps) {
  const t = useTexts('editing');
  const {
    html,
    isLine = false,
    label = t('words.label'),
    onChange,
    onLeave,
    onOpen,
    tagLabel,
  } = props;
  const latest = useRef({ onChange, onLeave, onOpen });
  latest.current = { onChange, onLeave, onOpen };
  const editor = useTiptap({
    extensions: extensions(tagLabel),
    content: toTiptap(html, isLine),
    shouldRerenderOnTransaction: false,
    editorProps: {
      attributes: { 'aria-label': label, 'aria-multiline': 'true', role: 'textbox' },
      handleKeyDown: (_, event) => {
        if (event.key === 'Escape') {
          event.stopPropagation();
          latest.current.onLeave();
          return true;
        }
        return false;
      },
    },
    onUpdate: ({ editor: changed }) => {
      latest.current.onChange(fromTiptap(changed.getHTML(), isLine));
    },
  });

  useEffect(() => {
    // Where drawing took long, Tiptap has given this one up and makes another.
    if (editor.isDestroyed) return;
    const click = takeClick();
    editor.commands.focus((click && editor.view.posAtCoords(click)?.pos) ?? 'end');
    // At once: the command waits for the next frame, and keys do not.
    editor.view.focus();
    return latest.current.onOpen(editor);
  }, [editor]);

  return <EditorContent editor={editor} />;
}
