// The frame of a signed-in screen: navigation at the start side (a sheet in small windows) beside
// the screen; and the bare frame of builders, which need the whole window.
import { ActionIcon } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { IconMenu2 } from '@tabler/icons-react';
import { Outlet, useRouterState } from '@tanstack/react-router';
import { type ReactNode, Suspense, useEffect } from 'react';
import { PaletteAndKeys } from '../shell/dialogs.tsx';
import { useUserLanguage } from '../session/session.ts';
import { lazyWithRetry } from '../shell/lazy-with-retry.ts';
import { useStore } from '../store.ts';
import { useTexts } from '../texts/texts.ts';
import { configuredSlots, offeredSlots, loadThirdPartySlots } from '../shell/third-parties.ts';
import { SampleBanner } from '../ui/sample-data.tsx';
import { TestModeBanner } from '../ui/test-mode.tsx';
import { ConnectionBanner } from './connection-banner.tsx';
import classes from './frames.module.css';
import { LogoMark } from './logo.tsx';
import { Navigation } from './navigation.tsx';
import { PRODUCT_NAME } from './root.tsx';
import { useWasOpened } from '../hooks/use-was-opened.ts';

const ConsentBanner = lazyWithRetry(() => import('../shell/consent-banner.tsx'));
const NavigationSheet = lazyWithRetry(() => import('./navigation-sheet.tsx'));

export function AppFrame({ children = <Outlet /> }: { children?: ReactNode }) {
  const t = useTexts('platform');
  useUserLanguage();
  const [isOpen, sheet] = useDisclosure(false);
  const isSheetNeeded = useWasOpened(isOpen);
  const path = useRouterState({ select: (state) => state.location.pathname });
  const { close } = sheet;
  useEffect(() => {
    if (path) close();
  }, [path, close]);
  return (
    <div className={classes.app}>
      <section className={classes.topBar} aria-label={PRODUCT_NAME}>
        <ActionIcon aria-label={t('shell.openNavigation')} size={40} onClick={sheet.open}>
          <IconMenu2 size={20} stroke={1.75} />
        </ActionIcon>
        <span className={classes.brand}>
          <LogoMark size={26} />
          {PRODUCT_NAME}
        </span>
      </section>
      <aside className={classes.side}>
        <Navigation />
      </aside>
      {isSheetNeeded && (
        <Suspense fallback={null}>
          <NavigationSheet isOpen={isOpen} close={sheet.close} />
        </Suspense>
      )}
      <div className={classes.beside}>
        <ConnectionBanner />
        <SampleBanner />
        <TestModeBanner />
        <main id="main" tabIndex={-1} className={classes.main}>
          {children}
        </main>
        <Consent />
      </div>
      <PaletteAndKeys />
    </div>
  );
}

/** Loads the consent request after the screen is shown; most installations need none. */
function Consent() {
  const isOffered = offeredSlots(useStore(configuredSlots)).length > 0;
  useEffect(() => {
    const timer = setTimeout(() => void loadThirdPartySlots().catch(() => undefined), 1000);
    return () => clearTimeout(timer);
  }, []);
  if (!isOffered) return null;
  return (
    <Suspense fallback={null}>
      <ConsentBanner />
    </Suspense>
  );
}

export function BareFrame() {
  useUserLanguage();
  return (
    <div className={classes.bare}>
      <ConnectionBanner />
      <main id="main" tabIndex={-1} className={classes.bareMain}>
        <Outlet />
      </main>
      <PaletteAndKeys />
    </div>
  );
}
