// The canvas: the tree of steps, panned and zoomed by mouse, touch or keyboard.
import { ActionIcon, Tooltip } from '@mantine/core';
import { IconFocusCentered, IconMinus, IconPlus } from '@tabler/icons-react';
import {
  Background,
  type Edge,
  MiniMap,
  type Node,
  Panel,
  ReactFlow,
  ReactFlowProvider,
  useReactFlow,
} from '@xyflow/react';
import '@xyflow/react/dist/base.css';
import { useEffect, useMemo } from 'react';
import { useMediaQuery } from '@mantine/hooks';
import { currentLanguage, useTexts } from '#platform/web/texts/texts.ts';
import { DIRECTION } from '#platform/web/texts/languages.ts';
import { useBuilder } from '../use-builder.ts';
import classes from './canvas.module.css';
import { HEIGHT, layOut, SLOT_HEIGHT, WIDTH } from './layout.ts';
import { SlotNode } from './slot-node.tsx';
import { StepNode } from './step-node.tsx';

const nodeTypes = { step: StepNode, slot: SlotNode };
/** Number of nodes from which the minimap is shown; smaller trees fit the view. */
const MAP_FROM = 16;
const MAP_SIZE = { width: 140, height: 105 };
const FIT = { padding: 0.15, maxZoom: 1, minZoom: 0.4 };

export function Canvas() {
  return (
    <ReactFlowProvider>
      <Flow />
    </ReactFlowProvider>
  );
}

function Flow() {
  const t = useTexts('workflows');
  const { workflow, choose, carry } = useBuilder();
  const direction = DIRECTION[currentLanguage()];
  const isWide = useMediaQuery('(min-width: 900px)');
  const { nodes, edges } = useTree(workflow.steps, direction === 'rtl');
  return (
    // Coordinates of the canvas run left to right in every language; its nodes follow the direction
    // of the language.
    <section
      className={classes.canvas}
      dir="ltr"
      aria-label={t('builder.canvas')}
      onKeyDown={(event) => {
        if (event.key === 'Escape') carry(undefined);
      }}
    >
      <ReactFlow
        nodes={nodes}
        edges={edges}
        nodeTypes={nodeTypes}
        nodesDraggable={false}
        nodesConnectable={false}
        nodesFocusable={false}
        edgesFocusable={false}
        elementsSelectable={false}
        disableKeyboardA11y
        zoomOnDoubleClick={false}
        panOnScroll
        minZoom={0.2}
        maxZoom={1.5}
        fitView
        fitViewOptions={FIT}
        proOptions={{ hideAttribution: true }}
        onPaneClick={() => choose(undefined)}
      >
        <Background gap={18} size={1.5} color="var(--hairline)" />
        {isWide && nodes.length > MAP_FROM && (
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
          />
        )}
        <ZoomButtons />
        <ChosenInView />
      </ReactFlow>
    </section>
  );
}

function useTree(steps: Parameters<typeof layOut>[0], isMirrored: boolean) {
  return useMemo(() => {
    const { placed, lines } = layOut(steps, isMirrored);
    const nodes: Node[] = placed.map((one) => ({
      ...('step' in one
        ? { id: one.step.id, type: 'step', data: { step: one.step }, height: HEIGHT }
        : { id: one.slot.id, type: 'slot', data: { slot: one.slot }, height: SLOT_HEIGHT }),
      position: { x: one.x, y: one.y },
      width: WIDTH,
      style: { pointerEvents: 'all' },
    }));
    const edges: Edge[] = lines.map(({ from, to }) => ({
      ...{ id: `${from}-${to}`, source: from, target: to, type: 'smoothstep', focusable: false },
      ...{ interactionWidth: 0 },
    }));
    return { nodes, edges };
  }, [steps, isMirrored]);
}

function ZoomButtons() {
  const t = useTexts('workflows');
  const { zoomIn, zoomOut, fitView } = useReactFlow();
  const buttons = [
    { name: 'zoomIn', icon: IconPlus, act: () => zoomIn() },
    { name: 'zoomOut', icon: IconMinus, act: () => zoomOut() },
    { name: 'fit', icon: IconFocusCentered, act: () => fitView(FIT) },
  ] as const;
  return (
    <Panel position="bottom-left" className={classes.zoom ?? ''}>
      {buttons.map(({ name, icon: Icon, act }) => (
        <Tooltip key={name} label={t(`builder.${name}`)} position="right">
          <ActionIcon
            variant="default"
            size="lg"
            aria-label={t(`builder.${name}`)}
            onClick={() => void act()}
          >
            <Icon size={18} stroke={1.75} />
          </ActionIcon>
        </Tooltip>
      ))}
    </Panel>
  );
}

/** Scrolls a step into view that was selected elsewhere (a new or incomplete step). */
function ChosenInView() {
  const { chosen } = useBuilder();
  const { getNode, setCenter, getViewport } = useReactFlow();
  const id = chosen?.id;
  useEffect(() => {
    if (id === undefined) return undefined;
    // The new node renders with the next frame, when the panel has its place beside the canvas.
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
