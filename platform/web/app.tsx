// The app around the router: theme, direction, texts, cache, notices, dialogs, global errors.
import { DirectionProvider, MantineProvider } from '@mantine/core';
import { Notifications } from '@mantine/notifications';
import { QueryClientProvider } from '@tanstack/react-query';
import { RouterProvider } from '@tanstack/react-router';
import { I18nextProvider, useTranslation } from 'react-i18next';
import { AreasContext, register } from './areas.ts';
import { DIRECTION } from './languages.ts';
import { queryClient } from './queries.ts';
import { buildRouter } from './router.tsx';
import type { AreaRoutes } from './routes.ts';
import { currentLanguage, texts } from './texts.ts';
import { cssVariables, theme } from './theme/theme.ts';
import { ConfirmDialog } from './ui/confirm.tsx';
import { InputDialog } from './ui/input-dialog.tsx';

export function createApp(areas: readonly AreaRoutes[]) {
  const router = buildRouter(areas);
  const registered = register(areas);
  return function App() {
    return (
      <I18nextProvider i18n={texts}>
        <Look>
          <QueryClientProvider client={queryClient}>
            <AreasContext value={registered}>
              <RouterProvider router={router} />
              <ConfirmDialog />
              <InputDialog />
            </AreasContext>
          </QueryClientProvider>
        </Look>
      </I18nextProvider>
    );
  };
}

/** Theme, direction and notices; also what tests and previews of single pieces stand in. */
export function Look({ children }: { children: React.ReactNode }) {
  useTranslation(undefined, { i18n: texts });
  const direction = DIRECTION[currentLanguage()];
  return (
    <DirectionProvider key={direction} initialDirection={direction} detectDirection={false}>
      <MantineProvider theme={theme} cssVariablesResolver={cssVariables} defaultColorScheme="auto">
        <Notifications
          position={direction === 'rtl' ? 'bottom-left' : 'bottom-right'}
          limit={8}
          zIndex={400}
        />
        {children}
      </MantineProvider>
    </DirectionProvider>
  );
}
