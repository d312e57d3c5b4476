// The menus at the end of the navigation: test tools (if there are any), help, and the user. Each
// is loaded when the pointer enters its button, or when the button receives focus or a click.
import { IconFlask, IconHelp } from '@tabler/icons-react';
import { type ComponentProps, type ComponentType, Suspense, useState } from 'react';
import { useTouch } from '../hooks/use-touch.ts';
import { useOptionalSession } from '../session/session.ts';
import { lazyWithRetry } from '../shell/lazy-with-retry.ts';
import { useTexts } from '../texts/texts.ts';
import { MenuButton } from './menu-button.tsx';
import { UserButton } from './user-button.tsx';

/**
 * Shows `Button` until the user has clicked it and the menu is loaded. The loaded component
 * includes its own button.
 */
function lateMenu(
  load: () => Promise<{ default: ComponentType }>,
  Button: ComponentType<ComponentProps<'button'>>,
): ComponentType {
  const LoadedEntries = lazyWithRetry(load);
  const preload = () => void load().catch(() => undefined);
  return function LateMenu() {
    const isTouch = useTouch();
    const [isRequested, setRequested] = useState(false);
    const button = (
      <Button
        aria-haspopup={isTouch ? 'dialog' : 'menu'}
        aria-expanded={false}
        onPointerEnter={preload}
        onFocus={preload}
        onClick={() => setRequested(true)}
      />
    );
    if (!isRequested) return button;
    return (
      <Suspense fallback={button}>
        <LoadedEntries />
      </Suspense>
    );
  };
}

function ToolsButton(props: ComponentProps<'button'>) {
  return <MenuButton icon={IconFlask} text={useTexts('platform')('tools.title')} {...props} />;
}

function HelpButton(props: ComponentProps<'button'>) {
  return <MenuButton icon={IconHelp} text={useTexts('platform')('help.title')} {...props} />;
}

const TestTools = lateMenu(() => import('./test-tools-menu.tsx'), ToolsButton);
export const HelpEntry = lateMenu(() => import('../help/help-menu.tsx'), HelpButton);
export const UserEntry = lateMenu(() => import('./user-menu.tsx'), UserButton);

export function TestToolsEntry() {
  return useOptionalSession()?.test_tools?.length ? <TestTools /> : null;
}
