// Routes of coupon pools in the settings; all other screens of content belong to owners of emails.
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
  found: { template: () => '/campaigns/create' },
});
