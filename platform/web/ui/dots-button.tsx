// The three dots behind which the acts of one thing are.
import { ActionIcon, type ActionIconProps } from '@mantine/core';
import { IconDots } from '@tabler/icons-react';
import type { ComponentProps } from 'react';
import { useTexts } from '../texts.ts';

export type DotsButtonProps = ActionIconProps & ComponentProps<'button'> & { name: string };

export function DotsButton({ name, ...props }: DotsButtonProps) {
  const t = useTexts('platform');
  return (
    <ActionIcon aria-label={t('table.actionsOf', { name })} className="touch-target" {...props}>
      <IconDots size={18} stroke={1.75} />
    </ActionIcon>
  );
}
