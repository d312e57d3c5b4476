// Registers the webhook screens: a settings page with the list, and a page for each webhook.
import { defineRoutes } from '#platform/web/shell/routes.ts';

export const routes = defineRoutes({
  texts: ['webhooks'],
  screens: [
    {
      path: '/settings/webhooks',
      title: 'webhooks:title',
      load: () => import('./endpoints-screen.tsx'),
    },
    {
      path: '/settings/webhooks/$endpoint',
      title: 'webhooks:title',
      load: () => import('./endpoint-screen.tsx'),
    },
  ],
  settings: [{ to: '/settings/webhooks', text: 'webhooks:title', order: 65 }],
});
