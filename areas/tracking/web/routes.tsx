// Tracking in the settings.
import { defineRoutes } from '#platform/web/shell/routes.ts';

export const routes = defineRoutes({
  texts: ['tracking'],
  screens: [
    {
      path: '/settings/tracking',
      title: 'tracking:title',
      load: () => import('./tracking-screen.tsx'),
    },
  ],
  settings: [{ to: '/settings/tracking', text: 'tracking:title', order: 46 }],
});
