// Rich text in the canvas. It is static until a click opens it for editing.
import { type CSSProperties, useMemo } from 'react';
import { useTexts } from '#platform/web/texts/texts.ts';
import type { NodeId, RichText } from '../../document.ts';
import { useCanvasData } from '../editor-props.ts';
import { isStepKey } from '#platform/web/editing/step-keys.ts';
import { rememberClick } from '#platform/web/editing/rich/click.ts';
import { LateRichEditor } from '#platform/web/editing/rich/late-rich-editor.tsx';
import { useEditor, useEditorState } from '../store.ts';
import { renderRichText } from '#platform/web/editing/rich/rich-text-view.tsx';
import classes from './blocks.module.css';

export interface EditableTextProps {
  id: NodeId;
  part?: string;
  html: RichText;
  isLine?: boolean;
  /** Placeholder for empty text. */
  empty?: string;
  style?: CSSProperties;
  onChange: (html: RichText) => void;
}

export function EditableText({
  id,
  part = 'html',
  html,
  isLine,
  empty,
  style,
  onChange,
}: EditableTextProps) {
  const { getTagLabel } = useCanvasData();
  const editor = useEditor();
  const isOpen = useEditorState(
    ({ writing }) => writing !== null && writing.id === id && writing.part === part,
  );
  if (!isOpen) {
    const startWriting = () => editor.startWriting(id, part);
    return <StillText html={html} empty={empty} style={style} onOpen={startWriting} />;
  }
  return (
    <div
      className={classes.words}
      data-writing=""
      style={style}
      onKeyDown={(event) => {
        if (!isStepKey(event)) event.stopPropagation();
      }}
    >
      <LateRichEditor
        fallback={renderRichText(html, getTagLabel)}
        html={html}
        isLine={isLine ?? false}
        getTagLabel={getTagLabel}
        onOpen={(textEditor) => {
          editor.store.setState({ textEditor });
          editor.bufferedKeys.replayInto(textEditor);
          return () => {
            if (editor.store.getState().textEditor === textEditor)
              editor.store.setState({ textEditor: null });
          };
        }}
        onChange={onChange}
        onLeave={() => {
          editor.stopWriting();
          document.getElementById(`node-${id}`)?.focus();
        }}
      />
    </div>
  );
}

type StillTextProps = Pick<EditableTextProps, 'html' | 'empty' | 'style'> & { onOpen: () => void };

/** Shows the text without its editor; a click opens the editor at the clicked position. */
function StillText({ html, empty, style, onOpen }: StillTextProps) {
  const t = useTexts('content');
  const { getTagLabel } = useCanvasData();
  const richText = useMemo(() => renderRichText(html, getTagLabel), [html, getTagLabel]);
  return (
    <div
      className={classes.words}
      data-words=""
      data-empty={html === '' || undefined}
      data-placeholder={empty ?? t('canvas.write')}
      style={style}
      onClick={(event) => {
        rememberClick(event.clientX, event.clientY);
        onOpen();
      }}
    >
      {richText}
    </div>
  );
}
