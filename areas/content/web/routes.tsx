// Coupon pools in the settings; all else of content is shown by whoever has emails.
import { defineRoutes } from '#platform/web/routes.ts';

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
});
