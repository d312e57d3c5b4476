// For tests of screens and pieces: the product's look, texts and a router at an address.
// Begin the test file with `// @vitest-environment jsdom`.
import { QueryClientProvider } from '@tanstack/react-query';
import { createMemoryHistory, RouterProvider } from '@tanstack/react-router';
import { type RenderResult, render } from '@testing-library/react';
import type { ComponentType, ReactNode } from 'react';
import { I18nextProvider } from 'react-i18next';
import { Look } from './app.tsx';
import { AreasContext, register } from './areas.ts';
import type { Language } from './languages.ts';
import { queryClient } from './queries.ts';
import { buildRouter } from './router.tsx';
import type { AreaRoutes } from './routes.ts';
import { showLanguage, startTexts, texts } from './texts.ts';
import { ConfirmDialog } from './ui/confirm.tsx';
import { InputDialog } from './ui/input-dialog.tsx';

/** What browsers have and jsdom lacks; texts loaded. Call it in beforeAll. */
export async function startTestApp(language: Language = 'eng'): Promise<void> {
  window.matchMedia ??= (query: string) =>
    Object.assign(new EventTarget(), {
      matches: false,
      media: query,
      onchange: null,
      addListener: () => undefined,
      removeListener: () => undefined,
    }) as MediaQueryList;
  window.ResizeObserver ??= class {
    observe(): void {}
    unobserve(): void {}
    disconnect(): void {}
  };
  Element.prototype.scrollIntoView ??= () => undefined;
  window.scrollTo = () => undefined;
  if (!texts.isInitialized) await startTexts();
  await showLanguage(language);
}

/** One piece, without a router. */
export function renderPiece(piece: ReactNode): RenderResult {
  return render(
    <I18nextProvider i18n={texts}>
      <Look>
        <QueryClientProvider client={queryClient}>
          {piece}
          <ConfirmDialog />
          <InputDialog />
        </QueryClientProvider>
      </Look>
    </I18nextProvider>,
  );
}

/** One screen at an address: `renderScreen(GroupsScreen, { at: '/subscribers/tags?page=2' })`. */
export function renderScreen(
  Screen: ComponentType,
  { at = '/', path = at.split('?')[0] ?? '/' }: { at?: string; path?: string } = {},
) {
  return renderAreas(
    [{ screens: [{ path, frame: 'open', load: async () => ({ default: Screen }) }] }],
    at,
  );
}

/** The whole app with these areas at an address; `router` tells where it has come. */
export function renderAreas(areas: AreaRoutes[], at = '/') {
  const router = buildRouter(areas, createMemoryHistory({ initialEntries: [at] }));
  const view = render(
    <I18nextProvider i18n={texts}>
      <Look>
        <QueryClientProvider client={queryClient}>
          <AreasContext value={register(areas)}>
            <RouterProvider router={router} />
            <ConfirmDialog />
            <InputDialog />
          </AreasContext>
        </QueryClientProvider>
      </Look>
    </I18nextProvider>,
  );
  return { ...view, router };
}
