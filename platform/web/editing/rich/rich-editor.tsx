// Edits the text of a block in place, with Tiptap in the text's style. The editor starts with the
// text in the document and writes each change back to the document. Any other change of the
// document (undo, a version from another tab) closes the editor first.
import { type Editor, Node } from '@tiptap/core';
import { Link } from '@tiptap/extension-link';
import { TextAlign } from '@tiptap/extension-text-align';
import { BackgroundColor, Color, FontSize, TextStyle } from '@tiptap/extension-text-style';
import { EditorContent, useEditor as useTiptap } from '@tiptap/react';
import StarterKit from '@tiptap/starter-kit';
import { useEffect, useRef } from 'react';
import { useTexts } from '#platform/web/texts/texts.ts';
import { isAddress, type RichText } from '#platform/rich-text.ts';
import { consumeClick } from './click.ts';
import { OwnClipboard } from './clipboard.ts';
import { fromElements, readTag, toElements } from './tags.ts';

export interface RichEditorProps {
  html: RichText;
  /** A single paragraph without a surrounding `p`, as in headings and cells. */
  isLine?: boolean;
  /** "Text" by default. */
  label?: string;
  onChange: (html: RichText) => void;
  onLeave: () => void;
  /** Called when the text is opened; the returned function is called when it is closed. */
  onOpen: (editor: Editor) => () => void;
  getTagLabel: (name: string) => string;
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
    // The history of the email editor includes the changes of this text.
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
    getTagLabel,
  } = props;
  const latest = useRef({ onChange, onLeave, onOpen });
  latest.current = { onChange, onLeave, onOpen };
  const editor = useTiptap({
    extensions: extensions(getTagLabel),
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
    // If rendering took long, Tiptap has destroyed this instance and creates another.
    if (editor.isDestroyed) return;
    const click = consumeClick();
    editor.commands.focus((click && editor.view.posAtCoords(click)?.pos) ?? 'end');
    // Focus immediately: the command would wait for the next frame, and keys might arrive before
    // it.
    editor.view.focus();
    return latest.current.onOpen(editor);
  }, [editor]);

  return <EditorContent editor={editor} />;
}
