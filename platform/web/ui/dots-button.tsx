// The three-dot button of an object's actions.
import { ActionIcon, type ActionIconProps, Loader } from '@mantine/core';
import { IconDots } from '@tabler/icons-react';
import type { ComponentProps } from 'react';
import { useTexts } from '../texts/texts.ts';

export type DotsButtonProps = ActionIconProps &
  ComponentProps<'button'> & {
    name: string;
    /**
     * Used instead of `loading`, which would disable the button, so that it would lose the focus.
     */
    isBusy?: boolean;
  };

export function DotsButton({ name, isBusy = false, ...props }: DotsButtonProps) {
  const t = useTexts('platform');
  return (
    <ActionIcon
      aria-label={t('table.actionsOf', { name })}
      aria-busy={isBusy}
      className="touch-target"
      {...props}
    >
      {isBusy ? <Loader size={16} /> : <IconDots size={18} stroke={1.75} />}
    </ActionIcon>
  );
}
