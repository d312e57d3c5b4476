// The app around the router: theme, direction, texts, cache, and overlays for every screen.
import { DirectionProvider, MantineProvider, useDirection } from '@mantine/core';
import { QueryClientProvider } from '@tanstack/react-query';
import { RouterProvider } from '@tanstack/react-router';
import { type ReactNode, useLayoutEffect } from 'react';
import { I18nextProvider, useTranslation } from 'react-i18next';
import { AreasContext, type RegisteredAreas } from './areas.ts';
import { AppOverlays } from './dialogs.tsx';
import { DIRECTION } from '../texts/languages.ts';
import { queryClient } from '../api/queries.ts';
import type { AppRouter } from './router.tsx';
import { getCurrentLanguage, texts } from '../texts/texts.ts';
import { cssVariables, theme } from '../theme/theme.ts';

export function App({ router, areas }: { router: AppRouter; areas: RegisteredAreas }) {
  return (
    <AppProviders>
      <AreasContext value={areas}>
        <RouterProvider router={router} />
      </AreasContext>
    </AppProviders>
  );
}

/** Provides everything except the router; also wraps individual components in tests. */
export function AppProviders({ children }: { children: ReactNode }) {
  return (
    <I18nextProvider i18n={texts}>
      <QueryClientProvider client={queryClient}>
        <Theme>
          {children}
          <AppOverlays />
        </Theme>
      </QueryClientProvider>
    </I18nextProvider>
  );
}

function Theme({ children }: { children: ReactNode }) {
  useTranslation(undefined, { i18n: texts });
  const direction = DIRECTION[getCurrentLanguage()];
  return (
    <DirectionProvider initialDirection={direction} detectDirection={false}>
      <SyncDirection direction={direction} />
      <MantineProvider theme={theme} cssVariablesResolver={cssVariables} defaultColorScheme="auto">
        {children}
      </MantineProvider>
    </DirectionProvider>
  );
}

/** Changes the direction without a remount, because a remount would lose unsaved input. */
function SyncDirection({ direction }: { direction: 'ltr' | 'rtl' }) {
  const { setDirection } = useDirection();
  useLayoutEffect(() => setDirection(direction), [direction, setDirection]);
  return null;
}
