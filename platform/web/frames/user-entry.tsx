// The button of the user menu, whose content is loaded when a pointer comes near.
import { Suspense, useState } from 'react';
import { late } from '../shell/lazy-with-retry.ts';
import { useTouch } from '../hooks/use-touch.ts';
import { UserButton } from './user-button.tsx';

const load = () => import('./user-menu.tsx');
const UserMenu = late(load);

export function UserEntry() {
  const isTouch = useTouch();
  const [isRequested, setRequested] = useState(false);
  const button = (
    <UserButton
      aria-haspopup={isTouch ? 'dialog' : 'menu'}
      aria-expanded={false}
      onPointerEnter={() => void load().catch(() => undefined)}
      onFocus={() => void load().catch(() => undefined)}
      onClick={() => setRequested(true)}
    />
  );
  if (!isRequested) return button;
  return (
    <Suspense fallback={button}>
      <UserMenu />
    </Suspense>
  );
}
