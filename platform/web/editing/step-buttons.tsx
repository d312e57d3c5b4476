// Undo and redo buttons.
import { ActionIcon, Group, Tooltip } from '@mantine/core';
import { IconArrowBackUp, IconArrowForwardUp } from '@tabler/icons-react';
import { useTexts } from '#platform/web/texts/texts.ts';
import type { StepActions } from './step-keys.ts';
import classes from './step-buttons.module.css';

export interface StepButtonsProps extends StepActions {
  canUndo: boolean;
  canRedo: boolean;
}

export function StepButtons({ undo, redo, canUndo, canRedo }: StepButtonsProps) {
  const t = useTexts('editing');
  const buttons = [
    { name: 'undo', keys: 'Ctrl Z', icon: IconArrowBackUp, act: undo, isOn: canUndo },
    { name: 'redo', keys: 'Ctrl Shift Z', icon: IconArrowForwardUp, act: redo, isOn: canRedo },
  ] as const;
  return (
    <Group gap={4} wrap="nowrap">
      {buttons.map(({ name, keys, icon: Icon, act, isOn }) => (
        <Tooltip key={name} label={`${t(`steps.${name}`)} (${keys})`}>
          <ActionIcon
            variant="subtle"
            color="gray"
            size="lg"
            aria-label={t(`steps.${name}`)}
            disabled={!isOn}
            onClick={act}
          >
            <Icon size={18} stroke={1.75} className={classes.arrow} />
          </ActionIcon>
        </Tooltip>
      ))}
    </Group>
  );
}
