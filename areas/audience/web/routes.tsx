// Routes for subscribers in the web client: the list, one subscriber, and the suppression lists.
import { IconUserPlus, IconUsers } from '@tabler/icons-react';
import { defineRoutes } from '#platform/web/shell/routes.ts';

export const routes = defineRoutes({
  texts: [
    'approvals',
    'audience',
    'broadcasts',
    'folders',
    'exports',
    'feedback',
    'segments',
    'segments.words',
    'transactional',
  ],
  screens: [
    {
      path: '/subscribers',
      title: 'audience:title',
      load: () => import('./subscribers-screen.tsx'),
    },
    {
      path: '/subscribers/suppressions',
      title: 'audience:suppressions.title',
      load: () => import('./suppressions-screen.tsx'),
    },
    {
      path: '/transactional/suppression_list',
      title: 'transactional:tabs.suppressions',
      load: () => import('./transactional-suppressions-screen.tsx'),
    },
    {
      path: '/subscribers/$subscriber/view',
      title: 'audience:one.title',
      load: () => import('./subscriber-screen.tsx'),
    },
  ],
  subNavigation: [
    {
      parent: '/subscribers',
      to: '/subscribers/suppressions',
      text: 'audience:suppressions.title',
      order: 40,
    },
  ],
  navigation: [
    { to: '/subscribers', text: 'audience:title', icon: IconUsers, order: 40, keys: 'g s' },
  ],
  actions: [
    {
      id: 'audience.add',
      text: 'audience:add.title',
      to: '/subscribers?add=1',
      icon: IconUserPlus,
      keys: 'c s',
    },
  ],
  searchResultPaths: { subscriber: ({ id }) => `/subscribers/${id}/view` },
});
