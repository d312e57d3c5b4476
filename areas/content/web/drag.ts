// Drag and drop of the email editor: the dragged items, and their effect on drop.
import { createDragging, type Over } from '#platform/web/editing/dragging.ts';
import type { Block, NodeId, Section } from '../document.ts';
import type { DropLocation, EmailEditor } from './store.ts';
import {
  insertBlock,
  insertSection,
  moveBlock,
  moveBlockToSection,
  moveSection,
  findNode,
} from './tree.ts';
import { createSection } from '../document-factory.ts';

export type DraggedItem =
  | { kind: 'new-block'; create: () => Block }
  | { kind: 'new-section'; create: () => Section }
  /** The saved section, which is loaded from the start of the drag; undefined if that failed. */
  | { kind: 'saved-section'; section: Promise<Section | undefined> }
  | { kind: 'block'; id: NodeId }
  | { kind: 'section'; id: NodeId };

type InsertedItem = Exclude<DraggedItem, { kind: 'saved-section' }>;
type DropTarget = { kind: 'block' | 'column' | 'section'; id: NodeId };

const isSectionLike = ({ kind }: DraggedItem) =>
  kind === 'section' || kind === 'new-section' || kind === 'saved-section';

const dragging = createDragging<DraggedItem, DropTarget>(
  'sendloomEditor',
  (item, kind) => !isSectionLike(item) || kind === 'section',
);
export const { useDraggable, useDropTarget } = dragging;

/** Shows the drop indicator and performs the drop. `onDrop` receives the id of the dropped node. */
export function watchDragging(editor: EmailEditor, onDrop: (id: NodeId) => void): () => void {
  const { store } = editor;
  return dragging.watchDragging({
    start: () => store.setState({ isDragging: true, insertAfterId: null }),
    move: (target) => showDropIndicator(editor, toDropLocation(target)),
    drop: (item, target) => {
      const drop = toDropLocation(target);
      store.setState({ isDragging: false, dropLocation: null });
      if (!drop) return;
      const insert = (landing: InsertedItem) => {
        const id = insertDropped(editor, landing, drop);
        if (id) onDrop(id);
      };
      if (item.kind !== 'saved-section') return insert(item);
      void item.section.then((section) => {
        if (section) insert({ kind: 'new-section', create: () => section });
      });
    },
  });
}

function toDropLocation(target: Over<DropTarget> | null): DropLocation | null {
  if (!target) return null;
  const { kind, id, edge } = target;
  return kind === 'column' ? { kind, id } : { kind, id, edge };
}

function showDropIndicator({ store }: EmailEditor, drop: DropLocation | null): void {
  const now = store.getState().dropLocation;
  if (JSON.stringify(now) !== JSON.stringify(drop)) store.setState({ dropLocation: drop });
}

/**
 * Inserts or moves the dragged item and returns the id of its node; undefined if its target block
 * or column no longer exists.
 */
export function insertDropped(
  editor: EmailEditor,
  item: InsertedItem,
  drop: DropLocation,
): NodeId | undefined {
  const { document } = editor.store.getState();
  if (drop.kind === 'section') {
    const index = document.sections.findIndex(({ id }) => id === drop.id);
    // The target may no longer exist when the saved section is loaded.
    const targetIndex =
      index < 0 ? document.sections.length : index + (drop.edge === 'top' ? 0 : 1);
    return insertBetweenSections(editor, item, targetIndex);
  }
  const target = findColumnTarget(editor, drop);
  if (!target) return undefined;
  if (item.kind === 'block') {
    editor.edit((now) => moveBlock(now, item.id, target.column, target.index));
    return item.id;
  }
  if (item.kind !== 'new-block') return undefined;
  const block = item.create();
  editor.edit((now) => insertBlock(now, target.column, target.index, block));
  return block.id;
}

function findColumnTarget(
  editor: EmailEditor,
  drop: DropLocation,
): { column: NodeId; index: number } | undefined {
  const { document } = editor.store.getState();
  if (drop.kind === 'column') {
    for (const { columns } of document.sections) {
      const column = columns.find(({ id }) => id === drop.id);
      if (column) return { column: column.id, index: column.blocks.length };
    }
    return undefined;
  }
  const location = findNode(document, drop.id);
  if (location?.kind !== 'block' || drop.kind !== 'block') return undefined;
  return { column: location.column.id, index: location.blockIndex + (drop.edge === 'top' ? 0 : 1) };
}

/** Inserts or moves an item between sections; a block gets its own section. */
export function insertBetweenSections(
  editor: EmailEditor,
  item: InsertedItem,
  index: number,
): NodeId | undefined {
  switch (item.kind) {
    case 'section':
      editor.edit((now) => moveSection(now, item.id, index));
      return item.id;
    case 'block':
      editor.edit((now) => moveBlockToSection(now, item.id, index));
      return item.id;
    case 'new-section': {
      const section = item.create();
      editor.edit((now) => insertSection(now, index, section));
      return section.id;
    }
    case 'new-block': {
      const block = item.create();
      editor.edit((now) => insertSection(now, index, createSection([[block]])));
      return block.id;
    }
  }
}
