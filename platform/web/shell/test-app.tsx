// Renders screens and components in tests with the product's theme and texts; screens are rendered
// by a router at an address. Begin the test file with `// @vitest-environment jsdom`.
import { createMemoryHistory } from '@tanstack/react-router';
import { cleanup, configure, getConfig, type RenderResult, render } from '@testing-library/react';
import type { ComponentType, ReactNode } from 'react';
import { App, AppProviders } from './app.tsx';
import { register } from './areas.ts';
import type { Language } from '../texts/languages.ts';
import { clearNotices } from '../errors/notices.tsx';
import { buildRouter } from './router.tsx';
import type { AreaRoutes } from './routes.ts';
import { resetStores } from '../store.ts';
import { areaTexts, showLanguage, startTexts, texts } from '../texts/texts.ts';
import { theme } from '../theme/theme.ts';

const allAreas = Object.keys(
  import.meta.glob(['../../../locales/eng/*.json', '!**/*.content.json']),
).flatMap((file) => /([\w.]+)\.json$/.exec(file)?.[1] ?? []);

/**
 * Adds the browser features that jsdom lacks, sets the cookies of a session, and loads all areas'
 * catalogs. Call it in beforeAll. A screen that reads the user or account also needs, in
 * beforeEach, `queryClient.setQueryData(sessionQuery.queryKey, sampleSession)`.
 */
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
  // Fields that adapt their size listen to events of `document.fonts`.
  Object.defineProperty(document, 'fonts', { configurable: true, value: new EventTarget() });
  showDetachedPopovers();
  // A busy machine needs longer than the default of one second.
  configure({ asyncUtilTimeout: 20_000, getElementError: queryError });
  // These cookies simulate the session; the tests respond instead of the server.
  document.cookie = `token_set_time=${Math.floor(Date.now() / 1000)}; path=/`;
  document.cookie = 'ttl=900; path=/';
  if (!texts.isInitialized) await startTexts();
  await areaTexts(allAreas);
  await showLanguage(language);
}

/**
 * Shows menus even if their button is out of view. jsdom has no layout, so Mantine would treat each
 * button as scrolled out of view and hide its menu; the menu's focus trap would then warn that
 * there is nothing to focus.
 */
function showDetachedPopovers(): void {
  const { Popover, ...others } = theme.components ?? {};
  theme.components = {
    ...others,
    Popover: { ...Popover, defaultProps: { ...Popover?.defaultProps, hideDetached: false } },
  };
}

const { getElementError } = getConfig();

/**
 * Returns the error for a query that finds no element or too many. Printing the document at each
 * attempt of a wait took a seventh of the processor time of these tests, so only the error of a
 * wait that times out contains the document.
 */
function queryError(message: string | null, container: Element): Error {
  const config = getConfig();
  const isWaiting =
    '_disableExpensiveErrorDiagnostics' in config && config._disableExpensiveErrorDiagnostics;
  if (!isWaiting) return getElementError(message, container);
  return Object.assign(new Error(message ?? ''), { name: 'TestingLibraryElementError' });
}

/**
 * Unmounts everything, closes notices, and resets the stores and the query cache. Call it in
 * afterEach.
 */
export function endTestApp(): void {
  cleanup();
  resetStores();
  clearNotices();
}

/** Renders one component without a router. */
export function renderComponent(element: ReactNode): RenderResult {
  return render(<AppProviders>{element}</AppProviders>);
}

/**
 * Renders one screen at an address:
 * `renderScreen(GroupsScreen, { at: '/subscribers/tags?page=2' })`. For an address with parameters,
 * `path` is the pattern of the route, such as `/settings/relays/$relay`.
 */
export function renderScreen(
  Screen: ComponentType,
  { at = '/', path = at.split('?')[0] ?? '/' }: { at?: string; path?: string } = {},
) {
  return renderAreas(
    [{ texts: [], screens: [{ path, frame: 'open', load: async () => ({ default: Screen }) }] }],
    at,
  );
}

/** Renders the whole app with these areas at an address; `router` gives the current location. */
export function renderAreas(areas: AreaRoutes[], at = '/') {
  const router = buildRouter(areas, createMemoryHistory({ initialEntries: [at] }));
  const view = render(<App router={router} areas={register(areas)} />);
  return { ...view, router };
}
