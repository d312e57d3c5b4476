// Dragging: what is dragged says what it is, what it may land on says where it would stand, and one
// listener draws the line and carries it out. All of it can be done by keys and buttons too.
import {
  attachClosestEdge,
  extractClosestEdge,
} from '@atlaskit/pragmatic-drag-and-drop-hitbox/closest-edge';
import {
  draggable,
  dropTargetForElements,
  monitorForElements,
} from '@atlaskit/pragmatic-drag-and-drop/element/adapter';
import { type RefObject, useEffect, useRef } from 'react';
import type { Block, NodeId, Section } from '../document.ts';
import type { DropPlace, Editor } from './store.ts';
import {
  insertBlock,
  insertSection,
  moveBlock,
  moveBlockToSection,
  moveSection,
  placeOf,
} from './tree.ts';
import { newSection } from '../document-factory.ts';

export type Dragged =
  | { kind: 'new-block'; make: () => Block }
  | { kind: 'new-section'; make: () => Section }
  /** On its way from the server since it was taken up; nothing where that failed. */
  | { kind: 'saved-section'; section: Promise<Section | undefined> }
  | { kind: 'block'; id: NodeId }
  | { kind: 'section'; id: NodeId };

type Landing = Exclude<Dragged, { kind: 'saved-section' }>;
type Target = { kind: 'block' | 'column' | 'section'; id: NodeId };

const KEY = 'sendloomEditor';
const draggedOf = (data: Record<string | symbol, unknown>) => data[KEY] as Dragged | undefined;
const isSectionLike = (dragged: Dragged) =>
  dragged.kind === 'section' || dragged.kind === 'new-section' || dragged.kind === 'saved-section';

/** Makes an element something to drag; `handle` is where one takes it. */
export function useDraggable(
  ref: RefObject<HTMLElement | null>,
  read: () => Dragged,
  isOn = true,
  handle?: RefObject<HTMLElement | null>,
): void {
  const latest = useRef(read);
  latest.current = read;
  useEffect(() => {
    const element = ref.current;
    if (!element || !isOn) return;
    return draggable({
      element,
      ...(handle?.current ? { dragHandle: handle.current } : {}),
      // It stays draggable: taking that away would reach into the drag it is busy with.
      canDrag: () => element.getAttribute('aria-busy') !== 'true',
      getInitialData: () => ({ [KEY]: latest.current() }),
    });
  }, [ref, isOn, handle]);
}

export function useDropTarget(ref: RefObject<HTMLElement | null>, target: Target): void {
  const { kind, id } = target;
  useEffect(() => {
    const element = ref.current;
    if (!element) return;
    return dropTargetForElements({
      element,
      canDrop: ({ source }) => {
        const dragged = draggedOf(source.data);
        if (!dragged) return false;
        if (isSectionLike(dragged)) return kind === 'section';
        return true;
      },
      getData: ({ input }) =>
        attachClosestEdge({ kind, id }, { element, input, allowedEdges: ['top', 'bottom'] }),
    });
  }, [ref, kind, id]);
}

/** Draws the line and carries out what is dropped. `done` hears what happened. */
export function watchDragging(editor: Editor, done: (id: NodeId) => void): () => void {
  const { store } = editor;
  return monitorForElements({
    canMonitor: ({ source }) => draggedOf(source.data) !== undefined,
    onDragStart: () => store.setState({ isDragging: true, inserting: null }),
    onDrag: ({ location }) => show(editor, placeUnder(location.current.dropTargets[0]?.data)),
    onDropTargetChange: ({ location }) =>
      show(editor, placeUnder(location.current.dropTargets[0]?.data)),
    onDrop: ({ source, location }) => {
      const drop = placeUnder(location.current.dropTargets[0]?.data);
      const dragged = draggedOf(source.data);
      store.setState({ isDragging: false, drop: null });
      if (!drop || !dragged) return;
      const put = (landing: Landing) => {
        const id = land(editor, landing, drop);
        if (id) done(id);
      };
      if (dragged.kind !== 'saved-section') return put(dragged);
      void dragged.section.then((section) => {
        if (section) put({ kind: 'new-section', make: () => section });
      });
    },
  });
}

function placeUnder(data: Record<string | symbol, unknown> | undefined): DropPlace | null {
  if (!data) return null;
  const { kind, id } = data as Target;
  const edge = extractClosestEdge(data) === 'top' ? 'top' : 'bottom';
  return kind === 'column' ? { kind, id } : { kind, id, edge };
}

function show({ store }: Editor, drop: DropPlace | null): void {
  const now = store.getState().drop;
  if (JSON.stringify(now) !== JSON.stringify(drop)) store.setState({ drop });
}

/** Returns what stands there now. */
export function land(editor: Editor, dragged: Landing, drop: DropPlace): NodeId | undefined {
  const { document } = editor.store.getState();
  if (drop.kind === 'section') {
    const at = document.sections.findIndex(({ id }) => id === drop.id);
    // What it was dropped beside may be gone by the time that a saved one is read.
    const to = at < 0 ? document.sections.length : at + (drop.edge === 'top' ? 0 : 1);
    return landBetween(editor, dragged, to);
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

function columnAt(editor: Editor, drop: DropPlace): { column: NodeId; at: number } | undefined {
  const { document } = editor.store.getState();
  if (drop.kind === 'column') {
    for (const { columns } of document.sections) {
      const column = columns.find(({ id }) => id === drop.id);
      if (column) return { column: column.id, at: column.blocks.length };
    }
    return undefined;
  }
  const place = placeOf(document, drop.id);
  if (place?.kind !== 'block' || drop.kind !== 'block') return undefined;
  return { column: place.column.id, at: place.at + (drop.edge === 'top' ? 0 : 1) };
}

/** Between sections: a block gets a section of its own. */
export function landBetween(editor: Editor, dragged: Landing, at: number): NodeId | undefined {
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
      editor.edit((now) => insertSection(now, at, newSection([[block]])));
      return block.id;
    }
  }
}
