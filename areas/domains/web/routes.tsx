// Sending domains in the settings and the target of the emailed confirmation link.
import { IconWorld } from '@tabler/icons-react';
import { defineRoutes } from '#platform/web/shell/routes.ts';

export const routes = defineRoutes({
  texts: ['domains'],
  screens: [
    {
      path: '/settings/domains',
      title: 'domains:title',
      load: () => import('./domains-screen.tsx'),
    },
    {
      path: '/settings/domains/$domain',
      title: 'domains:titleOne',
      load: () => import('./domain-screen.tsx'),
    },
    {
      path: '/confirm-domain',
      title: 'domains:confirm.title',
      frame: 'guest',
      load: () => import('./confirm-domain-screen.tsx'),
    },
  ],
  settings: [{ to: '/settings/domains', text: 'domains:title', order: 40 }],
  actions: [
    {
      id: 'domains.add',
      text: 'domains:add.action',
      to: '/settings/domains?add=1',
      icon: IconWorld,
    },
  ],
});
