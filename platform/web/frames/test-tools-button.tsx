// The test tools' entry in the navigation.
import { UnstyledButton } from '@mantine/core';
import { IconChevronUp, IconFlask } from '@tabler/icons-react';
import type { ComponentProps } from 'react';
import { useTexts } from '../texts/texts.ts';
import classes from './frames.module.css';

export function TestToolsButton({ className = '', ...props }: ComponentProps<'button'>) {
  const t = useTexts('platform');
  return (
    <UnstyledButton className={`${classes.entry} ${classes.tools} ${className}`} {...props}>
      <IconFlask size={18} stroke={1.75} aria-hidden="true" />
      <span className={classes.toolsText}>{t('tools.title')}</span>
      <IconChevronUp size={16} stroke={1.75} aria-hidden="true" />
    </UnstyledButton>
  );
}
