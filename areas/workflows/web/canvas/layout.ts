// Layout of the steps: the trigger on top, a column per path below its step, and a slot for
// insertion on each edge between two steps and at the end of each path.
import type { WorkflowStep } from '../../contract.ts';
import { listPaths } from '../paths.ts';

export const WIDTH = 264;
export const HEIGHT = 84;
/** Height of cards with statistics. */
export const FIGURES_HEIGHT = 108;
const SLOT_HEIGHT = 44;
/** A slot with the name of its path above the button. */
const NAMED_SLOT_HEIGHT = 76;
export const ROW_GAP = 28;
const COLUMN_GAP = 36;

/** An insertion point: below `parent`, on `path`, above `child` if there is one. */
export interface StepSlot {
  id: string;
  parent: WorkflowStep;
  path: string;
  child: WorkflowStep | undefined;
}

export type PlacedNode = { x: number; y: number; height: number } & (
  | { step: WorkflowStep }
  | { slot: StepSlot }
);

export interface TreeLayout {
  /** In reading order: each step, then its paths one after the other. */
  nodes: PlacedNode[];
  /** One edge per slot: to the next step, or to the slot itself at the end of a path. */
  edges: { slot: StepSlot; targetId: string }[];
}

/**
 * Places the steps and slots. With `isMirrored`, the first path is on the right. All cards have
 * this `height`.
 */
export function layOut(
  steps: readonly WorkflowStep[],
  { isMirrored, height = HEIGHT }: { isMirrored: boolean; height?: number },
): TreeLayout {
  const byId = new Map(steps.map((step) => [step.id, step]));
  const trigger = steps.find((step) => step.type === 'trigger');
  const layout: TreeLayout = { nodes: [], edges: [] };
  if (!trigger) return layout;
  const slots = new Map(steps.map((step) => [step.id, listSlots(step, byId)]));
  const widths = new Map<string, number>();
  // Parents precede their children in the list, so iterating in reverse computes the children's
  // widths first.
  for (const step of [...steps].reverse()) {
    const columns = (slots.get(step.id) ?? []).map(
      ({ child }) => widths.get(child?.id ?? '') ?? WIDTH,
    );
    const totalWidth =
      columns.reduce((all, column) => all + column, 0) + COLUMN_GAP * (columns.length - 1);
    widths.set(step.id, Math.max(WIDTH, totalWidth));
  }
  const sign = isMirrored ? -1 : 1;
  const placeStep = (step: WorkflowStep, middle: number, y: number): void => {
    layout.nodes.push({ step, x: sign * middle - WIDTH / 2, y, height });
    const slotHeight = step.type === 'CONDITION' ? NAMED_SLOT_HEIGHT : SLOT_HEIGHT;
    const stepSlots = slots.get(step.id) ?? [];
    const columns = stepSlots.map(({ child }) => widths.get(child?.id ?? '') ?? WIDTH);
    const totalWidth =
      columns.reduce((all, column) => all + column, 0) + COLUMN_GAP * (columns.length - 1);
    let leftEdge = middle - totalWidth / 2;
    for (const [index, slot] of stepSlots.entries()) {
      const width = columns[index] as number;
      const at = leftEdge + width / 2;
      const below = y + height + ROW_GAP;
      leftEdge += width + COLUMN_GAP;
      layout.nodes.push({ slot, x: sign * at - WIDTH / 2, y: below, height: slotHeight });
      layout.edges.push({ slot, targetId: slot.child?.id ?? slot.id });
      if (slot.child) placeStep(slot.child, at, below + slotHeight + ROW_GAP);
    }
  };
  placeStep(trigger, 0, 0);
  return layout;
}

function listSlots(step: WorkflowStep, byId: ReadonlyMap<string, WorkflowStep>): StepSlot[] {
  const children = step.children.flatMap((id) => byId.get(id) ?? []);
  const paths = listPaths(step);
  // No subscriber passes an END; steps below it are still shown.
  if (step.type === 'ACTION' && step.data.action === 'END' && children.length === 0) return [];
  return paths.map((path) => ({
    id: `${step.id}:${path}`,
    parent: step,
    path,
    child: children.find((child) => child.condition_path === path),
  }));
}
