// Drag and drop of entries between days, loaded with the grid.
import { createDragging } from '#platform/web/editing/dragging.ts';
import type { CalendarEntry } from '../contract.ts';

export type DayTarget = { kind: 'day'; id: string };

export const { useDraggable, useDropTarget, watchDragging } = createDragging<
  CalendarEntry,
  DayTarget
>('sendloomCalendar', () => true);
