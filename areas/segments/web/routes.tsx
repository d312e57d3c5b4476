// Screens, actions and search results of segments in the web app.
import { IconFilter } from '@tabler/icons-react';
import { defineRoutes } from '#platform/web/shell/routes.ts';

export const routes = defineRoutes({
  texts: ['segments', 'segments.words', 'editing'],
  screens: [
    {
      path: '/subscribers/segments',
      title: 'segments:titleAll',
      load: () => import('./segments-screen.tsx'),
    },
    {
      path: '/subscribers/segments/create',
      title: 'segments:create.title',
      load: () => import('./create-segment-screen.tsx'),
    },
    {
      path: '/subscribers/segments/$segment',
      title: 'segments:titleOne',
      load: () => import('./segment-screen.tsx'),
    },
  ],
  subNavigation: [
    { parent: '/subscribers', to: '/subscribers/segments', text: 'segments:titleAll', order: 20 },
  ],
  actions: [
    {
      id: 'segments.open',
      text: 'segments:open',
      to: '/subscribers/segments',
      icon: IconFilter,
      keys: 'g e',
    },
    {
      id: 'segments.create',
      text: 'segments:create.title',
      to: '/subscribers/segments/create',
      icon: IconFilter,
    },
  ],
  searchResultPaths: {
    segment: ({ parameter }) =>
      `/subscribers?${new URLSearchParams({ filter: parameter ?? '' }).toString()}`,
  },
});
