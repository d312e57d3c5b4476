// Buttons to zoom the canvas, and to show the whole tree.
import { ActionIcon, Tooltip } from '@mantine/core';
import { IconFocusCentered, IconMinus, IconPlus } from '@tabler/icons-react';
import { Panel, useReactFlow } from '@xyflow/react';
import { useTexts } from '#platform/web/texts/texts.ts';
import classes from './canvas.module.css';

export function ZoomButtons({ minZoom }: { minZoom: number }) {
  const t = useTexts('workflows');
  const { zoomIn, zoomOut, fitView } = useReactFlow();
  const fit = { padding: 0.08, maxZoom: 1, minZoom };
  const buttons = [
    { name: 'zoomIn', icon: IconPlus, act: () => zoomIn() },
    { name: 'zoomOut', icon: IconMinus, act: () => zoomOut() },
    { name: 'fit', icon: IconFocusCentered, act: () => fitView(fit) },
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
