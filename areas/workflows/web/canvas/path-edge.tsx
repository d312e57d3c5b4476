// An edge as one path from a step to the next one: it bends directly below the step, so that the
// slot is on its straight part.
import { BaseEdge, type EdgeProps, getSmoothStepPath, Position } from '@xyflow/react';
import { ROW_GAP } from './layout.ts';

const RADIUS = 10;

type PathEdgeData = {
  /** The edge ends at the middle of an empty slot of this height. */
  slotHeight?: number;
  isVisited: boolean;
};

export function PathEdge({ id, sourceX, sourceY, targetX, targetY, data }: EdgeProps) {
  const { slotHeight = 0, isVisited = false } = (data ?? {}) as Partial<PathEdgeData>;
  const [path] = getSmoothStepPath({
    ...{ sourceX, sourceY, targetX, targetY: targetY + slotHeight / 2 },
    sourcePosition: Position.Bottom,
    targetPosition: Position.Top,
    borderRadius: RADIUS,
    offset: 0,
    centerY: sourceY + ROW_GAP / 2,
  });
  return (
    <BaseEdge
      id={id}
      path={path}
      interactionWidth={0}
      style={isVisited ? { stroke: 'var(--primary)', strokeWidth: 2.5 } : {}}
    />
  );
}
