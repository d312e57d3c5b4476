// Routes for stores: the pages for stores, orders and products in the settings. A search result of
// an order opens its customer.
import { defineRoutes } from '#platform/web/shell/routes.ts';

export const routes = defineRoutes({
  texts: ['stores'],
  screens: [
    {
      path: '/settings/connected-stores',
      title: 'stores:title',
      load: () => import('./stores-screen.tsx'),
    },
    {
      path: '/settings/connected-stores/orders',
      title: 'stores:tabs.orders',
      load: () => import('./orders-screen.tsx'),
    },
    {
      path: '/settings/connected-stores/products',
      title: 'stores:tabs.products',
      load: () => import('./products-screen.tsx'),
    },
  ],
  settings: [{ to: '/settings/connected-stores', text: 'stores:title', order: 62 }],
  searchResultPaths: { order: ({ parameter }) => `/subscribers/${parameter ?? ''}/view` },
});
