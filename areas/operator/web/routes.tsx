// The operator's pages in the web client: the state of the installation, its accounts and SMS
// senders. The app does not link to them, so operators need to know the URL. They are outside the
// app's frame, which needs an account.
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
