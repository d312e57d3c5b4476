// One menu for the built-in test tools, where they run; it is loaded when a pointer comes near.
import { Suspense, useState } from 'react';
import { useTouch } from '../hooks/use-touch.ts';
import { useMaybeSession } from '../session/session.ts';
import { late } from '../shell/lazy-with-retry.ts';
import { TestToolsButton } from './test-tools-button.tsx';

const load = () => import('./test-tools-menu.tsx');
const TestToolsMenu = late(load);

export function TestToolsEntry() {
  const isTouch = useTouch();
  const [isRequested, setRequested] = useState(false);
  if (!useMaybeSession()?.test_tools?.length) return null;
  const button = (
    <TestToolsButton
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
      <TestToolsMenu />
    </Suspense>
  );
}
