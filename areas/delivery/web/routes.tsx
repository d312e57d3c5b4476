// The account's own mail servers, in the settings.
import { defineRoutes } from '#platform/web/shell/routes.ts';

export const routes = defineRoutes({
  texts: ['delivery', 'feedback'],
  screens: [
    {
      path: '/settings/relays',
      title: 'delivery:title',
      load: () => import('./relays-screen.tsx'),
    },
    {
      path: '/settings/relays/$relay',
      title: 'delivery:titleOne',
      load: () => import('./relay-screen.tsx'),
    },
  ],
  settings: [{ to: '/settings/relays', text: 'delivery:title', order: 45 }],
});
