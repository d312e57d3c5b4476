// Routes for requests for approval: the list, and one request with its object.
import { IconChecklist } from '@tabler/icons-react';
import { defineRoutes } from '#platform/web/shell/routes.ts';
import { useOpenApprovals } from './queries.ts';

export const routes = defineRoutes({
  texts: [
    'approvals',
    'composing',
    'content',
    'content.words',
    'editing',
    'folders',
    'segments',
    'segments.words',
  ],
  screens: [
    { path: '/approvals', title: 'approvals:title', load: () => import('./approvals-screen.tsx') },
    {
      path: '/approvals/$approval',
      title: 'approvals:title',
      load: () => import('./approval-screen.tsx'),
    },
  ],
  navigation: [
    {
      to: '/approvals',
      text: 'approvals:title',
      icon: IconChecklist,
      order: 90,
      useCount: useOpenApprovals,
    },
  ],
  settings: [{ to: '/approvals', text: 'approvals:title', order: 67 }],
  actions: [
    { id: 'approvals.open', text: 'approvals:title', to: '/approvals', icon: IconChecklist },
  ],
});
