// The kernel of dragging: what is dragged says what it is, what it may land on says where it would stand, and
// one listener shows the place and carries it out. Whatever it does must be possible by keys and buttons too.
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

/** A target, and the half of it that the pointer is in. */
export type Over<Target> = Target & { edge: 'top' | 'bottom' };

export interface Watching<Dragged, Target> {
  start: () => void;
  /** Where it would land now, if anywhere. */
  move: (over: Over<Target> | null) => void;
  drop: (dragged: Dragged, over: Over<Target> | null) => void;
}

/**
 * Dragging of one editor.
 * @param name tells what is dragged in it from whatever else is
 */
export function createDragging<Dragged, Target extends { kind: string; id: string }>(
  name: string,
  mayLand: (dragged: Dragged, kind: Target['kind']) => boolean,
) {
  const draggedOf = (data: Record<string | symbol, unknown>) => data[name] as Dragged | undefined;

  /** Makes an element something to drag; `handle` is where one takes it. */
  function useDraggable(ref: Element, read: () => Dragged, isOn = true, handle?: Element): void {
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
          return dragged !== undefined && mayLand(dragged, kind);
        },
        getData: ({ input }) =>
          attachClosestEdge({ kind, id }, { element, input, allowedEdges: ['top', 'bottom'] }),
      });
    }, [ref, kind, id]);
  }

  /** Returns what ends it. */
  function watchDragging({ start, move, drop }: Watching<Dragged, Target>): () => void {
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
