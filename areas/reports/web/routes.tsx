// The report of an email campaign in the web client.
import { defineRoutes } from '#platform/web/shell/routes.ts';

export const routes = defineRoutes({
  texts: ['reports', 'broadcasts', 'feedback', 'segments', 'segments.words', 'stores', 'folders'],
  screens: [
    {
      path: '/settings/sales-attribution',
      title: 'reports:attribution.title',
      load: () => import('./attribution-screen.tsx'),
    },
    {
      path: '/campaigns/$campaign/report',
      title: 'reports:title',
      load: () => import('./report-layout.tsx'),
      children: [
        { path: '/', redirectTo: '/campaigns/$campaign/report/overview' },
        {
          path: 'overview',
          title: 'reports:tabs.overview',
          load: () => import('./overview-screen.tsx'),
        },
        { path: 'clicks', title: 'reports:tabs.clicks', load: () => import('./links-screen.tsx') },
        {
          path: 'actions',
          title: 'reports:tabs.actions',
          load: () => import('./actions-screen.tsx'),
        },
        {
          path: 'experiment',
          title: 'reports:tabs.experiment',
          load: () => import('./experiment-screen.tsx'),
        },
        { path: 'groups', title: 'reports:tabs.groups', load: () => import('./groups-screen.tsx') },
        {
          path: 'links/$link',
          title: 'reports:tabs.clicks',
          load: () => import('./link-screen.tsx'),
        },
      ],
    },
  ],
  settings: [{ to: '/settings/sales-attribution', text: 'reports:attribution.title', order: 48 }],
});
