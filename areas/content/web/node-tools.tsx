// Toolbar of a selected block or section: drag, move, copy, save, delete, insert below. There are
// no other controls on the canvas, because a button between two blocks would cover their text.
import { ActionIcon } from '@mantine/core';
import {
  IconArrowDown,
  IconArrowUp,
  IconBookmarkPlus,
  IconCopy,
  IconGripVertical,
  IconMessage,
  IconPlus,
  IconSettings,
  IconTrash,
} from '@tabler/icons-react';
import { type ComponentType, type RefObject, useLayoutEffect, useRef } from 'react';
import { useTexts } from '#platform/web/texts/texts.ts';
import type { NodeId } from '../document.ts';
import { useActions } from './actions.ts';
import classes from './node-tools.module.css';
import { useSaveSection } from './saved-sections.tsx';
import { useEditor, useEditorState } from './store.ts';
import { findNode } from './tree.ts';

export interface NodeToolsProps {
  id: NodeId;
  handle: RefObject<HTMLButtonElement | null>;
  isSection?: boolean;
}

export function NodeTools({ id, handle, isSection = false }: NodeToolsProps) {
  const t = useTexts('content');
  const editor = useEditor();
  const actions = useActions();
  const saveSection = useSaveSection();
  const tools = useBesideEmail();
  return (
    <div
      ref={tools}
      className={classes.tools}
      data-tools=""
      data-section={isSection || undefined}
      role="toolbar"
      aria-label={t('tools.label')}
      // Uses the direction of the interface, which may differ from the email's.
      dir="auto"
      onClick={(event) => event.stopPropagation()}
    >
      <button
        ref={handle}
        type="button"
        className={classes.handle}
        tabIndex={-1}
        aria-hidden="true"
      >
        <IconGripVertical size={16} stroke={1.75} />
      </button>
      <span className={classes.insert}>
        <Tool
          icon={IconPlus}
          label={t('tools.insert')}
          keys="/"
          onClick={() => editor.store.setState({ insertAfterId: id })}
        />
      </span>
      <MoveTools id={id} actions={actions} />
      <Tool
        icon={IconBookmarkPlus}
        label={t('tools.save')}
        onClick={() => {
          const location = findNode(editor.store.getState().document, id);
          if (location) void saveSection(location);
        }}
      />
      {!isSection && <CommentTool id={id} />}
      <span className={classes.forms}>
        <Tool
          icon={IconSettings}
          label={t('tools.form')}
          onClick={() => editor.store.setState({ isSheetOpen: true })}
        />
      </span>
      <Tool
        icon={IconTrash}
        label={t('tools.delete')}
        keys="Del"
        onClick={() => actions.remove(id)}
      />
    </div>
  );
}

/**
 * Measures the distance from a block to the end of its section, which is as wide as the email. The
 * tools can then be placed outside the email, where they cover no neighboring blocks.
 */
function useBesideEmail(): RefObject<HTMLDivElement | null> {
  const tools = useRef<HTMLDivElement>(null);
  useLayoutEffect(() => {
    const block = tools.current?.parentElement;
    const section = block?.closest('section');
    if (!block || !section) return;
    const measure = () => {
      const blockBox = block.getBoundingClientRect();
      const sectionBox = section.getBoundingClientRect();
      const isRightToLeft = getComputedStyle(section).direction === 'rtl';
      const distance = isRightToLeft
        ? blockBox.left - sectionBox.left
        : sectionBox.right - blockBox.right;
      tools.current?.style.setProperty('--beside', `${Math.round(distance)}px`);
    };
    measure();
    const observer = new ResizeObserver(measure);
    observer.observe(section);
    return () => observer.disconnect();
  }, []);
  return tools;
}

function CommentTool({ id }: { id: NodeId }) {
  const t = useTexts('content');
  const { store } = useEditor();
  const hasComments = useEditorState(({ comments }) => comments !== null);
  if (!hasComments) return null;
  return (
    <Tool
      icon={IconMessage}
      label={t('tools.comments')}
      onClick={() => store.setState({ commentedBlockId: id })}
    />
  );
}

type MoveToolsProps = { id: NodeId; actions: ReturnType<typeof useActions> };

function MoveTools({ id, actions }: MoveToolsProps) {
  const t = useTexts('content');
  return (
    <>
      <Tool
        icon={IconArrowUp}
        label={t('tools.up')}
        keys="Alt ↑"
        onClick={() => actions.step(id, -1)}
      />
      <Tool
        icon={IconArrowDown}
        label={t('tools.down')}
        keys="Alt ↓"
        onClick={() => actions.step(id, 1)}
      />
      <Tool
        icon={IconCopy}
        label={t('tools.duplicate')}
        keys="Ctrl D"
        onClick={() => actions.duplicate(id)}
      />
    </>
  );
}

function Tool({
  icon: Icon,
  label,
  keys,
  onClick,
}: {
  icon: ComponentType<{ size: number; stroke: number }>;
  label: string;
  keys?: string;
  onClick: () => void;
}) {
  return (
    <ActionIcon
      variant="subtle"
      color="gray"
      size="sm"
      title={keys ? `${label} (${keys})` : label}
      aria-label={label}
      onClick={onClick}
    >
      <Icon size={16} stroke={1.75} />
    </ActionIcon>
  );
}
