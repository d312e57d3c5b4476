// The email canvas: sections, columns and blocks, each rendered again only when it changes.
import { Button, Text } from '@mantine/core';
import { IconPlus } from '@tabler/icons-react';
import {
  type ClipboardEvent,
  type CSSProperties,
  type DragEvent,
  useEffect,
  useRef,
  useState,
} from 'react';
import { useTexts } from '#platform/web/texts/texts.ts';
import { useActions } from '../actions.ts';
import { watchDragging } from '../drag.ts';
import { useCanvasData } from '../editor-props.ts';
import { pasteImage } from '../images/paste-image.ts';
import { InsertMenu } from '../insert-menu.tsx';
import { handleCanvasKeys } from '../keys.ts';
import { useEditor, useEditorState } from '../store.ts';
import classes from './canvas.module.css';
import { SectionView } from './section-view.tsx';

/** Below this width the email is shown as on phones: MJML's breakpoint. */
const NARROW_BELOW_PX = 480;

export function Canvas() {
  const t = useTexts('content');
  const editor = useEditor();
  const actions = useActions();
  const { isRtl } = useCanvasData();
  const sections = useEditorState((state) => state.document.sections);
  const settings = useEditorState((state) => state.document.settings);
  const isDragging = useEditorState((state) => state.isDragging);
  const paper = useRef<HTMLDivElement>(null);
  const isNarrow = useIsNarrow(paper);
  useEffect(() => watchDragging(editor, actions.moved), [editor, actions]);
  const isEmailRtl = settings.direction === 'auto' ? isRtl : settings.direction === 'rtl';
  const colors = {
    '--mail-link': settings.link.color,
    '--mail-link-line': settings.link.is_underlined ? 'underline' : 'none',
  } as CSSProperties;
  return (
    <div
      id="mail-canvas"
      className={classes.canvas}
      tabIndex={0}
      role="group"
      aria-label={t('canvas.label')}
      aria-describedby="mail-canvas-keys"
      onKeyDown={(event) => handleCanvasKeys(editor, actions, event)}
      {...imageHandlers(editor)}
      onClick={(event) => {
        if (!(event.target as HTMLElement).closest('[data-node]')) editor.select(null);
      }}
    >
      <p id="mail-canvas-keys" className={classes.hidden}>
        {t('canvas.keys')}
      </p>
      <div
        ref={paper}
        className={classes.paper}
        data-mail=""
        dir={isEmailRtl ? 'rtl' : 'ltr'}
        data-dragging={isDragging || undefined}
        style={{ ...colors, maxWidth: settings.width + 2 * 32, background: settings.background }}
      >
        {sections.map((section, index) => (
          <SectionView
            key={section.id}
            section={section}
            index={index}
            settings={settings}
            isNarrow={isNarrow}
          />
        ))}
        {sections.length === 0 && <EmptyCanvas />}
      </div>
    </div>
  );
}

/** Handlers that insert pasted and dropped images. */
function imageHandlers(editor: ReturnType<typeof useEditor>) {
  return {
    onPaste: (event: ClipboardEvent) => {
      if (pasteImage(editor, event.clipboardData)) event.preventDefault();
    },
    onDragOver: (event: DragEvent) => {
      // Prevents the browser from opening the dropped file.
      if (event.dataTransfer.types.includes('Files')) event.preventDefault();
    },
    onDrop: (event: DragEvent) => {
      if (!event.dataTransfer.types.includes('Files')) return;
      event.preventDefault();
      const node = (event.target as HTMLElement).closest<HTMLElement>('[data-node]');
      if (node?.dataset.node) editor.select(node.dataset.node);
      pasteImage(editor, event.dataTransfer);
    },
  };
}

function EmptyCanvas() {
  const t = useTexts('content');
  const editor = useEditor();
  const isInserting = useEditorState(({ insertAfterId }) => insertAfterId === '');
  return (
    <div className={classes.empty}>
      <Text fw={600}>{t('canvas.emptyTitle')}</Text>
      <Text size="sm">{t('canvas.emptyText')}</Text>
      <Button
        variant="default"
        leftSection={<IconPlus size={18} stroke={1.75} />}
        onClick={() => editor.store.setState({ insertAfterId: '' })}
      >
        {t('palette.add')}
      </Button>
      {isInserting && <InsertMenu after={null} />}
    </div>
  );
}

function useIsNarrow(ref: { readonly current: HTMLElement | null }): boolean {
  const [isNarrow, setNarrow] = useState(false);
  useEffect(() => {
    const element = ref.current;
    if (!element) return;
    const observer = new ResizeObserver(([entry]) => {
      if (entry) setNarrow(entry.contentRect.width < NARROW_BELOW_PX);
    });
    observer.observe(element);
    return () => observer.disconnect();
  }, [ref]);
  return isNarrow;
}
