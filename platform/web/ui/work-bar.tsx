// The thin bar of a full-window editor or builder: the back button first, then its own content.
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
