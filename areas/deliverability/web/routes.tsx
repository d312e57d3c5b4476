// Deliverability in the settings: all domains, and the reports of one domain.
import { IconMailCheck } from '@tabler/icons-react';
import { defineRoutes } from '#platform/web/shell/routes.ts';

export const routes = defineRoutes({
  texts: ['deliverability', 'pilot', 'signals'],
  screens: [
    {
      path: '/settings/deliverability',
      title: 'deliverability:title',
      load: () => import('./deliverability-screen.tsx'),
    },
    {
      path: '/settings/deliverability/signals',
      title: 'signals:title',
      load: () => import('./signals-screen.tsx'),
    },
    {
      path: '/settings/deliverability/$domain',
      title: 'deliverability:title',
      load: () => import('./domain-reports-screen.tsx'),
    },
  ],
  settings: [{ to: '/settings/deliverability', text: 'deliverability:title', order: 42 }],
  actions: [
    {
      id: 'deliverability.open',
      text: 'deliverability:open',
      to: '/settings/deliverability',
      icon: IconMailCheck,
    },
  ],
});
