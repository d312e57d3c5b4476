// Starts the app in the page: texts first, then the screens; watches session, network and errors.
import './theme/base.css';
import { createRoot } from 'react-dom/client';
import { createApp } from './app.tsx';
import { watchErrors } from './global-errors.tsx';
import { onAnswer } from './http.ts';
import { reloadNeeded } from './errors.ts';
import { clearNotices } from './notices.tsx';
import { onConnection } from './online.ts';
import { keepRenewed } from './renewal.ts';
import type { AreaRoutes } from './routes.ts';
import { watchSession } from './session.ts';
import { startTexts } from './texts.ts';
import { flushUnsaved } from './unsaved.ts';

export async function startApp(areas: readonly AreaRoutes[]): Promise<void> {
  await startTexts();
  watchErrors();
  watchSession();
  keepRenewed();
  onConnection((online) => {
    if (!online) clearNotices();
  });
  onAnswer(() => reloadNeeded.set(false));
  document.addEventListener('visibilitychange', () => {
    if (document.visibilityState === 'hidden') void flushUnsaved();
  });
  const App = createApp(areas);
  const place = document.getElementById('app');
  if (place) createRoot(place).render(<App />);
}
