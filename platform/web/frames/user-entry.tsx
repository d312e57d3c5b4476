// The button of the person's own menu, whose contents are loaded when a pointer comes near.
import { lazy, Suspense, useState } from 'react';
import { UserButton } from './user-button.tsx';

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
