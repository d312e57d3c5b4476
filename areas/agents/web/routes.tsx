// Routes for connected assistants in the settings and the consent screen.
import { IconRobot } from '@tabler/icons-react';
import { defineRoutes } from '#platform/web/shell/routes.ts';

export const routes = defineRoutes({
  texts: ['agents'],
  screens: [
    {
      path: '/settings/assistants',
      title: 'agents:title',
      load: () => import('./connections-screen.tsx'),
    },
    {
      path: '/connect',
      title: 'agents:consent.title',
      frame: 'bare',
      load: () => import('./consent-screen.tsx'),
    },
  ],
  settings: [{ to: '/settings/assistants', text: 'agents:title', order: 62 }],
  actions: [
    { id: 'agents.open', text: 'agents:title', to: '/settings/assistants', icon: IconRobot },
  ],
});
