// Imports in the web client: a file, pasted text, the switch from another service, two services
// with a key, and the import history and results.
import { IconUpload } from '@tabler/icons-react';
import { defineRoutes } from '#platform/web/shell/routes.ts';

export const routes = defineRoutes({
  texts: ['imports'],
  screens: [
    { path: '/subscribers/import', redirectTo: '/subscribers/import/file' },
    {
      path: '/subscribers/import/file',
      title: 'imports:title',
      load: () => import('./file-screen.tsx'),
    },
    {
      path: '/subscribers/import/text',
      title: 'imports:title',
      load: () => import('./text-screen.tsx'),
    },
    {
      path: '/subscribers/import/switch',
      title: 'imports:title',
      load: () => import('./switch-screen.tsx'),
    },
    {
      path: '/subscribers/import/mailchimp',
      title: 'imports:title',
      load: () => import('./mailchimp-screen.tsx'),
    },
    {
      path: '/subscribers/import/getresponse',
      title: 'imports:title',
      load: () => import('./getresponse-screen.tsx'),
    },
    {
      path: '/subscribers/imported_subscribers',
      title: 'imports:history.title',
      load: () => import('./imported-screen.tsx'),
    },
  ],
  subNavigation: [
    { parent: '/subscribers', to: '/subscribers/import', text: 'imports:title', order: 50 },
  ],
  actions: [
    {
      id: 'imports.file',
      text: 'imports:title',
      to: '/subscribers/import/file',
      icon: IconUpload,
    },
    {
      id: 'imports.switch',
      text: 'imports:tabs.switch',
      to: '/subscribers/import/switch',
      icon: IconUpload,
    },
  ],
});
