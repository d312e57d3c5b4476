// The signed-in user, at the foot of the navigation.
import { UnstyledButton } from '@mantine/core';
import { IconChevronUp } from '@tabler/icons-react';
import { type ComponentProps, Suspense } from 'react';
import { useSession } from '../session/session.ts';
import { lazyWithRetry } from '../shell/lazy-with-retry.ts';
import classes from './frames.module.css';

const UnicodeEmail = lazyWithRetry(() => import('./unicode-email.tsx'));

export function UserButton({ className = '', ...props }: ComponentProps<'button'>) {
  const { user } = useSession();
  const name = [user.name, user.surname].filter(Boolean).join(' ');
  const email = <Email email={user.email} />;
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

function Email({ email }: { email: string }) {
  if (!/xn--/i.test(email)) return email;
  return (
    <Suspense fallback={email}>
      <UnicodeEmail email={email} />
    </Suspense>
  );
}
