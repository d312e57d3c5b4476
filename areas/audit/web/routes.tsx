// The audit log in the settings, for administrators.
import { IconHistory } from '@tabler/icons-react';
import { defineRoutes } from '#platform/web/shell/routes.ts';

export const routes = defineRoutes({
  texts: ['audit'],
  screens: [
    { path: '/settings/audit', title: 'audit:title', load: () => import('./audit-screen.tsx') },
  ],
  settings: [{ to: '/settings/audit', text: 'audit:title', order: 68, requiredRight: 'admin' }],
  actions: [{ id: 'audit.open', text: 'audit:title', to: '/settings/audit', icon: IconHistory }],
});
