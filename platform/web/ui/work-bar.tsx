// The thin bar over an editor or builder that has the whole window: the way back first, then what is its own.
import { ActionIcon, Tooltip } from '@mantine/core';
import { IconArrowLeft } from '@tabler/icons-react';
import { Link } from '@tanstack/react-router';
import classes from './work-bar.module.css';

interface WorkBarProps {
  back: { to: string; label: string };
  children: React.ReactNode;
}

export function WorkBar({ back: { to, label }, children }: WorkBarProps) {
  return (
    <header className={classes.bar}>
      <Tooltip label={label}>
        <ActionIcon
          component={Link}
          to={to}
          variant="subtle"
          color="gray"
          size="lg"
          aria-label={label}
        >
          <IconArrowLeft size={18} stroke={1.75} className={classes.arrow} />
        </ActionIcon>
      </Tooltip>
      {children}
    </header>
  );
}
