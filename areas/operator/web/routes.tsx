// The operator's page in the web client: state of the installation, and its accounts. No screen
// links to it; operators know its URL. They are outside of the app's frame, which needs an account.
import { defineRoutes } from '#platform/web/shell/routes.ts';

export const routes = defineRoutes({
  texts: ['operator', 'sms'],
  screens: [
    {
      path: '/operator',
      frame: 'open',
      title: 'operator:title',
      load: () => import('./health-screen.tsx'),
    },
    {
      path: '/operator/accounts',
      frame: 'open',
      title: 'operator:accounts.title',
      load: () => import('./accounts-screen.tsx'),
    },
    {
      path: '/operator/senders',
      frame: 'open',
      title: 'operator:senders.title',
      load: () => import('./senders-screen.tsx'),
    },
    {
      path: '/operator/accounts/$account',
      frame: 'open',
      title: 'operator:accounts.one',
      load: () => import('./account-screen.tsx'),
    },
  ],
});
