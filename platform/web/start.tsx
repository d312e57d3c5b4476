// Starts the app in the page: what the first screen needs is asked for while the texts are loading;
// then session, network and errors are watched for as long as the page lives.
import '@fontsource-variable/inter/wght.css';
import '@fontsource-variable/vazirmatn/wght.css';
import './theme/base.css';
import { createRoot } from 'react-dom/client';
import { App } from './app.tsx';
import { register } from './areas.ts';
import { reloadNeeded } from './errors.ts';
import { watchErrors } from './global-errors.tsx';
import { onAnswer } from './http.ts';
import { clearNotices } from './notices.tsx';
import { onConnection } from './online.ts';
import { queryClient } from './queries.ts';
import { keepRenewed, renewalDue } from './renewal.ts';
import { type AppRouter, buildRouter } from './router.tsx';
import type { AreaRoutes } from './routes.ts';
import { sessionQuery, watchSession } from './session.ts';
import { startTexts } from './texts.ts';
import { flushUnsaved } from './unsaved.ts';

export async function startApp(areas: readonly AreaRoutes[]): Promise<void> {
  watchSession();
  const router = buildRouter(areas);
  const first = fetchEarly(router);
  await startTexts();
  watchErrors();
  keepRenewed();
  onConnection((online) => {
    if (!online) clearNotices();
  });
  onAnswer(() => reloadNeeded.set(false));
  document.addEventListener('visibilitychange', () => {
    if (document.visibilityState === 'hidden') void flushUnsaved();
  });
  const place = document.getElementById('app');
  if (place) createRoot(place).render(<App router={router} areas={register(areas)} />);
  // What is asked for beside the first screen would only make it wait. Not awaited: the screen's code waits for ours.
  void first.then(fetchWhenIdle);
}

/** What the next screen will want; a failure here is told by the screen that needs it. */
function fetchWhenIdle(): void {
  const fetch = () => {
    // Notices first: they must also be able to say that a new version is there.
    void import('./notices-place.tsx').catch(() => undefined);
    void import('./idle-pieces.ts').catch(() => undefined);
  };
  if ('requestIdleCallback' in globalThis) requestIdleCallback(fetch, { timeout: 5000 });
  else setTimeout(fetch, 2000);
}

/** The user and the first screen's code, instead of one after the other; until the code is there, or cannot come. */
async function fetchEarly(router: AppRouter): Promise<void> {
  if (renewalDue() !== undefined) void queryClient.prefetchQuery(sessionQuery);
  const routes = router
    .matchRoutes(router.latestLocation)
    .flatMap(({ routeId }) => router.routesById[routeId] ?? []);
  // A part that does not come is told by the router when it asks for it.
  await Promise.allSettled(routes.map(async (route) => router.loadRouteChunk(route)));
}
