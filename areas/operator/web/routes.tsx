// The operator's page in the web client: state of the installation, and its accounts. No screen
// links to it; operators know its URL.
import { defineRoutes } from '#platform/web/shell/routes.ts';

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
