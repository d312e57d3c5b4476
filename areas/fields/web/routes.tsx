// Fields in the web client: a screen below Subscribers.
import { IconForms } from '@tabler/icons-react';
import { defineRoutes } from '#platform/web/shell/routes.ts';

export const routes = defineRoutes({
  texts: ['fields'],
  screens: [
    {
      path: '/subscribers/fields',
      title: 'fields:title',
      load: () => import('./fields-screen.tsx'),
    },
  ],
  subNavigation: [
    { parent: '/subscribers', to: '/subscribers/fields', text: 'fields:title', order: 30 },
  ],
  actions: [{ id: 'fields.open', text: 'fields:open', to: '/subscribers/fields', icon: IconForms }],
  searchResultPaths: {
    field: ({ title }) =>
      `/subscribers/fields?${new URLSearchParams({ search: title }).toString()}`,
  },
});
