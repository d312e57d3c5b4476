// Frame of a block in the canvas: selection by click or arrow keys, drag and drop.
import { IconEyeOff } from '@tabler/icons-react';
import { memo, type RefObject, useRef } from 'react';
import { useTexts } from '#platform/web/texts/texts.ts';
import type { Block, Color, EmailSettings, Padding } from '../../document.ts';
import { readHideOn } from '../../document-layout.ts';
import { describeBlock } from '../block-kinds.ts';
import { useDraggable, useDropTarget } from '../drag.ts';
import { InsertMenu } from '../insert-menu.tsx';
import { NodeTools } from '../node-tools.tsx';
import { useEditor, useEditorState } from '../store.ts';
import { BlockView } from './block-view.tsx';
import classes from './canvas.module.css';
import { CommentMark } from './comment-mark.tsx';
import { paddingStyle } from './canvas-styles.ts';

interface BlockFrameProps {
  block: Block;
  settings: EmailSettings;
  color: Color;
  padding: Padding;
  isNarrow: boolean;
}

export const BlockFrame = memo(function BlockFrame(props: BlockFrameProps) {
  const { block, settings, color, padding, isNarrow } = props;
  const t = useTexts('content');
  const editor = useEditor();
  const { id } = block;
  const screens = readHideOn(block);
  const frame = useRef<HTMLDivElement>(null);
  const handle = useRef<HTMLButtonElement>(null);
  const isSelected = useEditorState(({ selected }) => selected === id);
  const isWriting = useEditorState(({ writing }) => writing?.id === id);
  const isInserting = useEditorState(({ insertAfterId }) => insertAfterId === id);
  const edge = useEditorState(({ dropLocation }) =>
    dropLocation?.kind === 'block' && dropLocation.id === id ? dropLocation.edge : undefined,
  );
  useDropTarget(frame, { kind: 'block', id });
  useDraggableBlock(id, { frame, handle, isWriting });
  return (
    <div
      ref={frame}
      id={`node-${id}`}
      data-node={id}
      role="group"
      className={classes.block}
      data-selected={isSelected || undefined}
      data-writing={isWriting || undefined}
      data-drop={edge}
      data-hidden={screens ?? undefined}
      tabIndex={isSelected ? 0 : -1}
      aria-roledescription={t('canvas.blockRole')}
      aria-label={describeBlock(block, t)}
      onClick={(event) => {
        event.stopPropagation();
        const isText = (event.target as HTMLElement).closest('[data-words], [data-writing] *');
        if (!isText || !isWriting) editor.select(id);
        if (
          !(event.target as HTMLElement).closest('[data-words], [contenteditable], button, input')
        ) {
          frame.current?.focus({ preventScroll: true });
        }
      }}
      style={{
        ...paddingStyle((isNarrow ? block.mobile.padding : undefined) ?? padding),
        background: block.style.background,
      }}
    >
      {isSelected && <NodeTools id={id} handle={handle} />}
      {screens && (
        <span className={classes.marks}>
          <span>
            <IconEyeOff size={14} stroke={1.75} aria-hidden="true" />
            {t(`hideOn.${screens}`)}
          </span>
        </span>
      )}
      <CommentMark id={id} />
      <BlockView block={block} settings={settings} color={color} isNarrow={isNarrow} />
      {isInserting && <InsertMenu after={id} />}
    </div>
  );
}, isAlike);

/** While text is edited, the mouse selects text, so only the handle drags the block. */
function useDraggableBlock(
  id: string,
  {
    frame,
    handle,
    isWriting,
  }: {
    frame: RefObject<HTMLElement | null>;
    handle: RefObject<HTMLElement | null>;
    isWriting: boolean;
  },
): void {
  useDraggable(frame, () => ({ kind: 'block', id }), !isWriting);
  useDraggable(handle, () => ({ kind: 'block', id }), isWriting);
}

/** Paddings are new objects on each render, so their values are compared. */
function isAlike(previous: BlockFrameProps, next: BlockFrameProps): boolean {
  const [a, b] = [previous.padding, next.padding];
  return (
    previous.block === next.block &&
    previous.settings === next.settings &&
    previous.color === next.color &&
    previous.isNarrow === next.isNarrow &&
    a.top === b.top &&
    a.end === b.end &&
    a.bottom === b.bottom &&
    a.start === b.start
  );
}
