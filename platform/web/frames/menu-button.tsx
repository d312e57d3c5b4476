// An entry of the navigation that opens a menu.
import { UnstyledButton } from '@mantine/core';
import { IconChevronUp } from '@tabler/icons-react';
import type { ComponentProps } from 'react';
import type { NavigationEntry } from '../shell/routes.ts';
import classes from './frames.module.css';

interface MenuButtonProps extends ComponentProps<'button'> {
  icon: NavigationEntry['icon'];
  text: string;
}

export function MenuButton({ icon: Icon, text, className = '', ...props }: MenuButtonProps) {
  return (
    <UnstyledButton className={`${classes.entry} ${classes.tools} ${className}`} {...props}>
      <Icon size={18} stroke={1.75} aria-hidden="true" />
      <span className={classes.toolsText}>{text}</span>
      <IconChevronUp size={16} stroke={1.75} aria-hidden="true" />
    </UnstyledButton>
  );
}
