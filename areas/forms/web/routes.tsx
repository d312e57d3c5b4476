// Forms in the web client: the list, the gallery that one begins with, and a form's own page.
import { IconForms, IconPlus } from '@tabler/icons-react';
import { defineRoutes } from '#platform/web/routes.ts';

export const routes = defineRoutes({
  texts: ['forms'],
  screens: [{ path: '/forms', title: 'forms:title', load: () => import('./forms-screen.tsx') }],
  navigation: [{ to: '/forms', text: 'forms:title', icon: IconForms, order: 60, keys: 'g f' }],
  actions: [
    {
      id: 'forms.create',
      text: 'forms:create.title',
      to: '/forms/create',
      icon: IconPlus,
      keys: 'c f',
    },
  ],
});
