// Custom events in the web client: a list below Subscribers, and a page for each type.
import { defineRoutes } from '#platform/web/shell/routes.ts';

export const routes = defineRoutes({
  texts: ['events'],
  screens: [
    {
      path: '/subscribers/events',
      title: 'events:title',
      load: () => import('./events-screen.tsx'),
    },
    {
      path: '/subscribers/events/$event',
      title: 'events:title',
      load: () => import('./event-screen.tsx'),
    },
  ],
  subNavigation: [
    { parent: '/subscribers', to: '/subscribers/events', text: 'events:title', order: 60 },
  ],
});
