// The operator's page in the web client: how the installation is, and its accounts. Nothing links to it: who may
// open it knows its address.
import { defineRoutes } from '#platform/web/routes.ts';

export const routes = defineRoutes({
  texts: ['operator', 'sms'],
  screens: [
    {
      path: '/operator',
      title: 'operator:title',
      load: () => import('./health-screen.tsx'),
    },
    {
      path: '/operator/accounts',
      title: 'operator:accounts.title',
      load: () => import('./accounts-screen.tsx'),
    },
    {
      path: '/operator/senders',
      title: 'operator:senders.title',
      load: () => import('./senders-screen.tsx'),
    },
    {
      path: '/operator/accounts/$account',
      title: 'operator:accounts.one',
      load: () => import('./account-screen.tsx'),
    },
  ],
});
