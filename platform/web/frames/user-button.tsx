// Who is signed in, at the foot of the navigation; opens the person's own menu.
import { UnstyledButton } from '@mantine/core';
import { IconChevronUp } from '@tabler/icons-react';
import { type ComponentProps, lazy, Suspense, useState } from 'react';
import { useSession } from '../session.ts';
import classes from './frames.module.css';

const load = () => import('./user-menu.tsx');
const UserMenu = lazy(load);

export function UserEntry() {
  const [isWanted, setWanted] = useState(false);
  const button = (
    <UserButton
      aria-haspopup="menu"
      aria-expanded={false}
      onPointerEnter={() => void load()}
      onFocus={() => void load()}
      onClick={() => setWanted(true)}
    />
  );
  if (!isWanted) return button;
  return (
    <Suspense fallback={button}>
      <UserMenu />
    </Suspense>
  );
}

export function UserButton(props: ComponentProps<'button'>) {
  const { user } = useSession();
  const name = [user.name, user.surname].filter(Boolean).join(' ');
  return (
    <UnstyledButton className={classes.user} {...props}>
      <span className={classes.userText}>
        <bdi>{name || user.email}</bdi>
        {name && <bdi className={classes.userEmail}>{user.email}</bdi>}
      </span>
      <IconChevronUp size={16} stroke={1.75} aria-hidden="true" />
    </UnstyledButton>
  );
}
