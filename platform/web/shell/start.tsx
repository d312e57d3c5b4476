// Starts the app in the page: requests the user and the first screen's code while the catalog
// loads, then watches session, network and errors while the page is open.
import '@fontsource-variable/inter/wght.css';
import '@fontsource-variable/vazirmatn/wght.css';
import '../theme/base.css';
import { createRoot } from 'react-dom/client';
import { App } from './app.tsx';
import { register } from './areas.ts';
import { reloadNeeded } from '../errors/errors.ts';
import { watchErrors } from '../errors/global-errors.tsx';
import { onResponse } from '../api/http.ts';
import { clearNotices } from '../errors/notices.tsx';
import { onConnection } from '../online.ts';
import { queryClient } from '../api/queries.ts';
import { startRenewal, renewalDue } from '../api/renewal.ts';
import { type AppRouter, buildRouter } from './router.tsx';
import type { AreaRoutes } from './routes.ts';
import { sessionQuery, watchSession } from '../session/session.ts';
import { startTexts } from '../texts/texts.ts';
import { flushUnsaved } from '../unsaved.ts';
import { whenSettled } from './when-settled.ts';

// Styles of shared components are part of the shell's: a file for each would delay the scripts.
import.meta.glob('../{ui,forms,session,frames}/*.module.css', { eager: true });

export async function startApp(areas: readonly AreaRoutes[]): Promise<void> {
  watchSession();
  const router = buildRouter(areas);
  const first = fetchEarly(router);
  await startTexts();
  watchErrors();
  startRenewal();
  onConnection((online) => {
    if (!online) clearNotices();
  });
  onResponse(() => reloadNeeded.set(false));
  document.addEventListener('visibilitychange', () => {
    if (document.visibilityState === 'hidden') void flushUnsaved();
  });
  const root = document.getElementById('app');
  if (root) createRoot(root).render(<App router={router} areas={register(areas)} />);
  // Concurrent requests would only delay the first screen. The promise is not awaited, because the
  // screen's code would then wait for this module.
  void first.then(() => whenSettled(fetchNext));
}

/** Prefetches what the next screen needs; a screen that needs a failed part reports the failure. */
function fetchNext(): void {
  // Notices first: they must be able to announce a new version.
  void import('../errors/notices-place.tsx').catch(() => undefined);
  void import('./preload.ts').catch(() => undefined);
}

/**
 * Fetches the user (if signed in) and the first screen's code in parallel; resolves once the code
 * is loaded or has failed.
 */
async function fetchEarly(router: AppRouter): Promise<void> {
  if (renewalDue() !== undefined) void queryClient.prefetchQuery(sessionQuery);
  const routes = router
    .matchRoutes(router.latestLocation)
    .flatMap(({ routeId }) => router.routesById[routeId] ?? []);
  // The router reports a part that failed to load once it needs it.
  await Promise.allSettled(routes.map(async (route) => router.loadRouteChunk(route)));
}
