// The route of the start page.
import { IconLayoutDashboard } from '@tabler/icons-react';
import { defineRoutes } from '#platform/web/shell/routes.ts';

export const routes = defineRoutes({
  texts: [],
  screens: [
    {
      path: '/',
      title: 'dashboard:title',
      load: () => import('./dashboard-screen.tsx'),
    },
  ],
  navigation: [
    { to: '/', text: 'dashboard:title', icon: IconLayoutDashboard, order: 10, keys: 'g d' },
  ],
});
