// The canvas: the tree of steps, panned and zoomed by mouse, touch or keyboard.
import { MantineThemeProvider } from '@mantine/core';
import {
  Background,
  type Edge,
  MiniMap,
  type Node,
  ReactFlow,
  ReactFlowProvider,
  useReactFlow,
  useStore,
} from '@xyflow/react';
import '@xyflow/react/dist/base.css';
import { useMediaQuery } from '@mantine/hooks';
import { type CSSProperties, useEffect, useMemo, useState } from 'react';
import { DIRECTION } from '#platform/web/texts/languages.ts';
import { getCurrentLanguage, useTexts } from '#platform/web/texts/texts.ts';
import type { WorkflowTrial } from '../../contract.ts';
import { useBuilder } from '../use-builder.ts';
import { useStepTexts } from '../step-texts.ts';
import classes from './canvas.module.css';
import { FIGURES_HEIGHT, HEIGHT, layOut, type StepSlot, WIDTH } from './layout.ts';
import { PathEdge } from './path-edge.tsx';
import { SlotNode } from './slot-node.tsx';
import { StepNode } from './step-node.tsx';
import { ZoomButtons } from './zoom-buttons.tsx';

const nodeTypes = { step: StepNode, slot: SlotNode };
const edgeTypes = { path: PathEdge };
/** On wide screens, the minimap is shown for trees with more nodes; smaller trees fit the view. */
const MAX_NODES_WITHOUT_MAP = 16;
const MAP_SIZE = { width: 140, height: 105 };
const MIN_ZOOM = 0.05;
/** Space above the trigger when the builder opens. */
const TOP = 32;

export function Canvas() {
  return (
    <ReactFlowProvider>
      <Flow />
    </ReactFlowProvider>
  );
}

function Flow() {
  const t = useTexts('workflows');
  const { selectStep, setCarriedStep, trial } = useBuilder();
  const direction = DIRECTION[getCurrentLanguage()];
  const isWide = useMediaQuery('(min-width: 900px)');
  const { nodes, edges } = useTree(direction === 'rtl');
  const zoom = useStore((state) => state.transform[2]);
  const [menus, setMenus] = useState<HTMLDivElement | null>(null);
  return (
    // Coordinates of the canvas run left to right in every language; its nodes follow the direction
    // of the language.
    <section
      className={classes.canvas}
      dir="ltr"
      aria-label={t('builder.canvas')}
      data-trial={trial !== undefined || undefined}
      style={{ '--zoom': zoom } as CSSProperties}
      onKeyDown={(event) => {
        if (event.key === 'Escape') setCarriedStep(undefined);
      }}
    >
      <UnscaledMenus target={menus}>
        <ReactFlow
          nodes={nodes}
          edges={edges}
          nodeTypes={nodeTypes}
          edgeTypes={edgeTypes}
          nodesDraggable={false}
          nodesConnectable={false}
          nodesFocusable={false}
          edgesFocusable={false}
          elementsSelectable={false}
          disableKeyboardA11y
          zoomOnDoubleClick={false}
          panOnScroll
          minZoom={MIN_ZOOM}
          maxZoom={1.5}
          proOptions={{ hideAttribution: true }}
          onPaneClick={() => selectStep(undefined)}
        >
          <Background gap={18} size={1.5} color="var(--hairline)" />
          {isWide && nodes.length > MAX_NODES_WITHOUT_MAP && <TreeMap />}
          <ZoomButtons minZoom={MIN_ZOOM} />
          <OpenAtTrigger />
          <ChosenInView />
        </ReactFlow>
      </UnscaledMenus>
      <div ref={setMenus} dir={direction} className={classes.menus} />
    </section>
  );
}

function TreeMap() {
  const t = useTexts('workflows');
  const { setCenter, getZoom } = useReactFlow();
  const goTo = (at: { x: number; y: number }) =>
    void setCenter(at.x, at.y, { zoom: getZoom(), duration: 200 });
  return (
    <MiniMap
      pannable
      zoomable
      ariaLabel={t('builder.minimap')}
      style={MAP_SIZE}
      className={classes.minimap ?? ''}
      bgColor="var(--surface)"
      maskColor="color-mix(in srgb, var(--canvas) 70%, transparent)"
      nodeColor={(node) => (node.type === 'slot' ? 'transparent' : 'var(--control)')}
      nodeBorderRadius={12}
      onClick={(_, at) => goTo(at)}
      onNodeClick={(_, { position: { x, y } }) => goTo({ x: x + WIDTH / 2, y })}
    />
  );
}

/**
 * Menus of steps open outside the scaled part of the canvas, so that they are not scaled
 * themselves.
 */
function UnscaledMenus({
  target,
  children,
}: {
  target: HTMLDivElement | null;
  children: React.ReactNode;
}) {
  const theme = useMemo(() => {
    const portal = target ? { withinPortal: true, portalProps: { target } } : {};
    return { components: { Menu: { defaultProps: portal } } };
  }, [target]);
  return <MantineThemeProvider theme={theme}>{children}</MantineThemeProvider>;
}

/** Returns whether the person of the dry run completed the workflow at the end of this path. */
function endsOn(trial: WorkflowTrial | undefined, { parent, path }: StepSlot): boolean {
  const lastStep = trial?.steps.at(-1);
  if (!lastStep || trial?.outcome !== 'completed' || lastStep.step_id !== parent.id) return false;
  return parent.type !== 'CONDITION' || lastStep.note === path;
}

function useTree(isMirrored: boolean) {
  const t = useTexts('workflows');
  const { workflow, trial } = useBuilder();
  const { getStepName, getPathLabel } = useStepTexts();
  const { steps, people } = workflow;
  const height = people.entered > 0 ? FIGURES_HEIGHT : HEIGHT;
  const layout = useMemo(() => layOut(steps, { isMirrored, height }), [steps, isMirrored, height]);
  const nodes = useMemo(
    () =>
      layout.nodes.map(
        (placedNode): Node => ({
          ...('step' in placedNode
            ? { id: placedNode.step.id, type: 'step', data: { step: placedNode.step } }
            : { id: placedNode.slot.id, type: 'slot', data: { slot: placedNode.slot } }),
          height: placedNode.height,
          position: { x: placedNode.x, y: placedNode.y },
          width: WIDTH,
          style: { pointerEvents: 'all' },
        }),
      ),
    [layout],
  );
  const visitedEdges = new Set(
    (trial?.steps ?? []).map(
      (step, at, trialSteps) => `${step.step_id} ${trialSteps[at + 1]?.step_id}`,
    ),
  );
  const edges = layout.edges.map(({ slot, targetId }): Edge => {
    const { parent, path, child } = slot;
    const parentName = getStepName(parent);
    const pathName = parent.type === 'CONDITION' ? getPathLabel(parent, path) : undefined;
    const names = { from: parentName, to: child ? getStepName(child) : '', path: pathName ?? '' };
    const end = layout.nodes.find(
      (placedNode) => 'slot' in placedNode && placedNode.slot.id === slot.id,
    );
    return {
      ...{
        id: `edge-${slot.id}`,
        source: parent.id,
        target: targetId,
        type: 'path',
        focusable: false,
      },
      ariaLabel: child
        ? t(pathName === undefined ? 'builder.edge' : 'builder.edgePath', names)
        : t('builder.edgeEnd', {
            from: pathName === undefined ? parentName : `${parentName}, ${pathName}`,
          }),
      data: {
        isVisited: child ? visitedEdges.has(`${parent.id} ${child.id}`) : endsOn(trial, slot),
        ...(child === undefined && end && { slotHeight: end.height }),
      },
    };
  });
  return { nodes, edges };
}

/** Opens the canvas at the trigger, in full size if the card fits. */
function OpenAtTrigger() {
  const { setViewport } = useReactFlow();
  const width = useStore((state) => state.width);
  const [isDone, setDone] = useState(false);
  useEffect(() => {
    if (isDone || width === 0) return;
    setDone(true);
    void setViewport({ x: width / 2, y: TOP, zoom: width < WIDTH + 32 ? 0.8 : 1 });
  }, [isDone, width, setViewport]);
  return null;
}

/** Scrolls the selected step into view, for example a new one or one selected in the review. */
function ChosenInView() {
  const { selectedStep } = useBuilder();
  const { getNode, setCenter, getViewport } = useReactFlow();
  const id = selectedStep?.id;
  useEffect(() => {
    if (id === undefined) return undefined;
    // Waits until the new node is rendered and the panel has taken its space.
    const timer = setTimeout(() => {
      const node = getNode(id);
      const element = document.getElementById(`step-${id}`);
      const pane = element?.closest('.react-flow')?.getBoundingClientRect();
      const box = element?.getBoundingClientRect();
      if (!node || !pane || !box) return;
      const isSeen =
        box.top >= pane.top &&
        box.bottom <= pane.bottom &&
        box.left >= pane.left &&
        box.right <= pane.right;
      if (isSeen) return;
      const { x, y } = node.position;
      void setCenter(x + WIDTH / 2, y + HEIGHT, { zoom: getViewport().zoom, duration: 200 });
    }, 60);
    return () => clearTimeout(timer);
  }, [id, getNode, setCenter, getViewport]);
  return null;
}
