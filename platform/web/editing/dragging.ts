// Drag and drop core: dragged elements describe themselves, targets have a kind and an id, and one
// listener of the editor shows the drop position and performs the drop. Every action must also be
// possible by keyboard and buttons.
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

type Element = RefObject<HTMLElement | null>;

/** A target, and the half of it under the pointer. */
export type Over<Target> = Target & { edge: 'top' | 'bottom' };

export interface DragHandlers<Dragged, Target> {
  start: () => void;
  /** The current drop position, if any. */
  move: (over: Over<Target> | null) => void;
  drop: (dragged: Dragged, over: Over<Target> | null) => void;
}

/**
 * Creates the drag and drop of one editor.
 * @param name distinguishes drags of this editor from all other drags
 */
export function createDragging<Dragged, Target extends { kind: string; id: string }>(
  name: string,
  canDrop: (dragged: Dragged, kind: Target['kind']) => boolean,
) {
  const draggedOf = (data: Record<string | symbol, unknown>) => data[name] as Dragged | undefined;

  /** Makes an element draggable, by its `handle` if given. */
  function useDraggable(ref: Element, read: () => Dragged, isOn = true, handle?: Element): void {
    const latest = useRef(read);
    latest.current = read;
    useEffect(() => {
      const element = ref.current;
      if (!element || !isOn) return;
      return draggable({
        element,
        ...(handle?.current ? { dragHandle: handle.current } : {}),
        // A busy element stays registered, because unregistering it would interrupt its own drag.
        canDrag: () => element.getAttribute('aria-busy') !== 'true',
        getInitialData: () => ({ [name]: latest.current() }),
      });
    }, [ref, isOn, handle]);
  }

  function useDropTarget(ref: Element, { kind, id }: Target): void {
    useEffect(() => {
      const element = ref.current;
      if (!element) return;
      return dropTargetForElements({
        element,
        canDrop: ({ source }) => {
          const dragged = draggedOf(source.data);
          return dragged !== undefined && canDrop(dragged, kind);
        },
        getData: ({ input }) =>
          attachClosestEdge({ kind, id }, { element, input, allowedEdges: ['top', 'bottom'] }),
      });
    }, [ref, kind, id]);
  }

  /** Returns the function that stops watching. */
  function watchDragging({ start, move, drop }: DragHandlers<Dragged, Target>): () => void {
    const overOf = (data: Record<string | symbol, unknown> | undefined): Over<Target> | null => {
      if (!data) return null;
      const { kind, id } = data as Target;
      const edge = extractClosestEdge(data) === 'top' ? 'top' : 'bottom';
      return { kind, id, edge } as Over<Target>;
    };
    return monitorForElements({
      canMonitor: ({ source }) => draggedOf(source.data) !== undefined,
      onDragStart: start,
      onDrag: ({ location }) => move(overOf(location.current.dropTargets[0]?.data)),
      onDropTargetChange: ({ location }) => move(overOf(location.current.dropTargets[0]?.data)),
      onDrop: ({ source, location }) => {
        const dragged = draggedOf(source.data);
        if (dragged) drop(dragged, overOf(location.current.dropTargets[0]?.data));
      },
    });
  }

  return { useDraggable, useDropTarget, watchDragging };
}
