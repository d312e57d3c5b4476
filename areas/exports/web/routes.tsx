// Exports in the web client: the list of files, and the target of download links.
import { defineRoutes } from '#platform/web/shell/routes.ts';

export const routes = defineRoutes({
  texts: ['exports'],
  screens: [
    {
      path: '/subscribers/exports',
      title: 'exports:title',
      load: () => import('./exports-screen.tsx'),
    },
    {
      path: '/download/$hash',
      title: 'exports:link.title',
      load: () => import('./download-screen.tsx'),
    },
  ],
  subNavigation: [
    { parent: '/subscribers', to: '/subscribers/exports', text: 'exports:title', order: 60 },
  ],
});
