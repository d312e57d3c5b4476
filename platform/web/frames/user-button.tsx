// The signed-in user, at the foot of the navigation.
import { UnstyledButton } from '@mantine/core';
import { IconChevronUp } from '@tabler/icons-react';
import type { ComponentProps } from 'react';
import { toUnicodeDomain } from '#platform/domain-display.ts';
import { useSession } from '../session/session.ts';
import classes from './frames.module.css';

export function UserButton({ className = '', ...props }: ComponentProps<'button'>) {
  const { user } = useSession();
  const name = [user.name, user.surname].filter(Boolean).join(' ');
  const email = toUnicodeDomain(user.email);
  return (
    <UnstyledButton className={`${classes.user} ${className}`} {...props}>
      <span className={classes.userText}>
        <bdi>{name || email}</bdi>
        {name && <bdi className={classes.userEmail}>{email}</bdi>}
      </span>
      <IconChevronUp size={16} stroke={1.75} aria-hidden="true" />
    </UnstyledButton>
  );
}
