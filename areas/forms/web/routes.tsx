// Routes for forms: the list, the gallery of layouts, a form's own page, the editors of its
// confirmation email, and the builder.
import { IconForms, IconPlus } from '@tabler/icons-react';
import { defineRoutes } from '#platform/web/shell/routes.ts';

export const routes = defineRoutes({
  texts: [
    'forms',
    'forms-builder',
    'composing',
    'content',
    'content.words',
    'editing',
    'segments',
    'segments.words',
    'folders',
  ],
  screens: [
    { path: '/forms', title: 'forms:title', load: () => import('./forms-screen.tsx') },
    {
      path: '/forms/create',
      title: 'forms:create.title',
      load: () => import('./create-screen.tsx'),
    },
    {
      path: '/forms/$form/view',
      title: 'forms:view.title',
      load: () => import('./view-screen.tsx'),
    },
    {
      path: '/forms/$form/mail/editor',
      title: 'forms:mail.title',
      frame: 'bare',
      load: () => import('./email-design-screen.tsx'),
    },
    {
      path: '/forms/$form/mail/custom_html',
      title: 'forms:mail.title',
      frame: 'bare',
      load: () => import('./email-html-screen.tsx'),
    },
    {
      path: '/forms/$form/mail/plain_text',
      title: 'forms:mail.title',
      frame: 'bare',
      load: () => import('./email-text-screen.tsx'),
    },
    {
      path: '/forms/builder/$form',
      title: 'forms-builder:title',
      frame: 'bare',
      load: () => import('./builder/builder-screen.tsx'),
    },
  ],
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
  searchResultPaths: { form: ({ id }) => `/forms/${id}/view` },
});
