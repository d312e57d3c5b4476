// Email campaigns in the web client: the list, the four steps, experiments, the editors of custom
// content, and the default UTM parameters.
import { IconMail, IconPlus } from '@tabler/icons-react';
import { defineRoutes } from '#platform/web/shell/routes.ts';

export const routes = defineRoutes({
  texts: [
    'approvals',
    'campaigns',
    'broadcasts',
    'accounts',
    'composing',
    'content',
    'content.words',
    'editing',
    'segments',
    'segments.words',
    'folders',
  ],
  screens: [
    {
      path: '/settings/utm',
      title: 'broadcasts:utm.title',
      load: () => import('./utm-screen.tsx'),
    },
    { path: '/campaigns', title: 'campaigns:title', load: () => import('./campaigns-screen.tsx') },
    {
      path: '/campaigns/create',
      title: 'campaigns:create',
      load: () => import('./settings-screen.tsx'),
    },
    {
      path: '/campaigns/$campaign',
      load: () => import('./continue-screen.tsx'),
    },
    {
      path: '/campaigns/$campaign/edit',
      title: 'campaigns:steps.settings',
      load: () => import('./settings-screen.tsx'),
    },
    {
      path: '/campaigns/$campaign/editor',
      title: 'campaigns:steps.design',
      frame: 'bare',
      load: () => import('./design-screen.tsx'),
    },
    {
      path: '/campaigns/$campaign/subscribers',
      title: 'campaigns:steps.recipients',
      load: () => import('./recipients-screen.tsx'),
    },
    {
      path: '/campaigns/$campaign/confirm',
      title: 'campaigns:steps.review',
      load: () => import('./review-screen.tsx'),
    },
    {
      path: '/campaigns/$campaign/experiment',
      title: 'campaigns:experiment',
      load: () => import('./experiment-screen.tsx'),
    },
    {
      path: '/campaigns/$campaign/variants/$variant/editor',
      title: 'campaigns:steps.design',
      frame: 'bare',
      load: () => import('./design-screen.tsx'),
    },
    {
      path: '/campaigns/$campaign/variants/$variant/custom_html',
      title: 'composing:editor.html',
      frame: 'bare',
      load: () => import('./custom-html-screen.tsx'),
    },
    {
      path: '/campaigns/$campaign/variants/$variant/plain_text',
      title: 'composing:editor.text',
      frame: 'bare',
      load: () => import('./plain-text-screen.tsx'),
    },
    {
      path: '/html/$campaign/custom_html',
      title: 'composing:editor.html',
      frame: 'bare',
      load: () => import('./custom-html-screen.tsx'),
    },
    {
      path: '/html/$campaign/plain_text',
      title: 'composing:editor.text',
      frame: 'bare',
      load: () => import('./plain-text-screen.tsx'),
    },
  ],
  navigation: [
    { to: '/campaigns', text: 'campaigns:navigation', icon: IconMail, order: 20, keys: 'g c' },
  ],
  settings: [{ to: '/settings/utm', text: 'broadcasts:utm.title', order: 47 }],
  actions: [
    {
      id: 'campaigns.create',
      text: 'campaigns:create',
      to: '/campaigns/create',
      icon: IconPlus,
      keys: 'c e',
    },
  ],
  searchResultPaths: { campaign: ({ id }) => `/campaigns/${id}` },
});
