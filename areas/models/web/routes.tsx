// The settings of assistance, for administrators.
import { IconSparkles } from '@tabler/icons-react';
import { defineRoutes } from '#platform/web/shell/routes.ts';

export const routes = defineRoutes({
  texts: ['models'],
  screens: [
    {
      path: '/settings/assistance',
      title: 'models:title',
      load: () => import('./settings-screen.tsx'),
    },
  ],
  settings: [
    { to: '/settings/assistance', text: 'models:title', order: 64, requiredRight: 'admin' },
  ],
  actions: [
    { id: 'models.open', text: 'models:title', to: '/settings/assistance', icon: IconSparkles },
  ],
});
