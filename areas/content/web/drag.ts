// Drag and drop of the email editor: the dragged items, and their effect on drop.
import { createDragging, type Over } from '#platform/web/editing/dragging.ts';
import type { Block, NodeId, Section } from '../document.ts';
import type { DropPlace, EmailEditor } from './store.ts';
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
  | { kind: 'new-block'; make: () => Block }
  | { kind: 'new-section'; make: () => Section }
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
  (dragged, kind) => !isSectionLike(dragged) || kind === 'section',
);
export const { useDraggable, useDropTarget } = dragging;

/** Shows the drop indicator and performs the drop. `done` receives the id of the dropped node. */
export function watchDragging(editor: EmailEditor, done: (id: NodeId) => void): () => void {
  const { store } = editor;
  return dragging.watchDragging({
    start: () => store.setState({ isDragging: true, inserting: null }),
    move: (over) => showDropIndicator(editor, dropPlaceOf(over)),
    drop: (dragged, over) => {
      const drop = dropPlaceOf(over);
      store.setState({ isDragging: false, drop: null });
      if (!drop) return;
      const put = (landing: InsertedItem) => {
        const id = insertDropped(editor, landing, drop);
        if (id) done(id);
      };
      if (dragged.kind !== 'saved-section') return put(dragged);
      void dragged.section.then((section) => {
        if (section) put({ kind: 'new-section', make: () => section });
      });
    },
  });
}

function dropPlaceOf(over: Over<DropTarget> | null): DropPlace | null {
  if (!over) return null;
  const { kind, id, edge } = over;
  return kind === 'column' ? { kind, id } : { kind, id, edge };
}

function showDropIndicator({ store }: EmailEditor, drop: DropPlace | null): void {
  const now = store.getState().drop;
  if (JSON.stringify(now) !== JSON.stringify(drop)) store.setState({ drop });
}

/**
 * Inserts or moves the dragged item and returns the id of its node; undefined if the target no
 * longer exists.
 */
export function insertDropped(
  editor: EmailEditor,
  dragged: InsertedItem,
  drop: DropPlace,
): NodeId | undefined {
  const { document } = editor.store.getState();
  if (drop.kind === 'section') {
    const at = document.sections.findIndex(({ id }) => id === drop.id);
    // The target may no longer exist when the saved section is loaded.
    const to = at < 0 ? document.sections.length : at + (drop.edge === 'top' ? 0 : 1);
    return insertBetweenSections(editor, dragged, to);
  }
  const found = columnAt(editor, drop);
  if (!found) return undefined;
  if (dragged.kind === 'block') {
    editor.edit((now) => moveBlock(now, dragged.id, found.column, found.at));
    return dragged.id;
  }
  if (dragged.kind !== 'new-block') return undefined;
  const block = dragged.make();
  editor.edit((now) => insertBlock(now, found.column, found.at, block));
  return block.id;
}

function columnAt(
  editor: EmailEditor,
  drop: DropPlace,
): { column: NodeId; at: number } | undefined {
  const { document } = editor.store.getState();
  if (drop.kind === 'column') {
    for (const { columns } of document.sections) {
      const column = columns.find(({ id }) => id === drop.id);
      if (column) return { column: column.id, at: column.blocks.length };
    }
    return undefined;
  }
  const place = findNode(document, drop.id);
  if (place?.kind !== 'block' || drop.kind !== 'block') return undefined;
  return { column: place.column.id, at: place.at + (drop.edge === 'top' ? 0 : 1) };
}

/** Inserts or moves an item between sections; a block gets its own section. */
export function insertBetweenSections(
  editor: EmailEditor,
  dragged: InsertedItem,
  at: number,
): NodeId | undefined {
  switch (dragged.kind) {
    case 'section':
      editor.edit((now) => moveSection(now, dragged.id, at));
      return dragged.id;
    case 'block':
      editor.edit((now) => moveBlockToSection(now, dragged.id, at));
      return dragged.id;
    case 'new-section': {
      const section = dragged.make();
      editor.edit((now) => insertSection(now, at, section));
      return section.id;
    }
    case 'new-block': {
      const block = dragged.make();
      editor.edit((now) => insertSection(now, at, createSection([[block]])));
      return block.id;
    }
  }
}
