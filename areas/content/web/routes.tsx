// Routes for coupon pools in the settings. The areas whose items have emails register all other
// screens of content.
import { defineRoutes } from '#platform/web/shell/routes.ts';

export const routes = defineRoutes({
  texts: ['content'],
  screens: [
    {
      path: '/settings/coupons',
      title: 'content:pools.title',
      load: () => import('./coupons/pools-screen.tsx'),
    },
  ],
  settings: [{ to: '/settings/coupons', text: 'content:pools.title', order: 49 }],
  searchResultPaths: { template: () => '/campaigns/create' },
});
