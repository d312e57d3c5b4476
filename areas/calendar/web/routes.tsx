// Routes for the calendar in the web client.
import { IconCalendar } from '@tabler/icons-react';
import { defineRoutes } from '#platform/web/shell/routes.ts';

export const routes = defineRoutes({
  texts: ['calendar'],
  screens: [
    { path: '/calendar', title: 'calendar:title', load: () => import('./calendar-screen.tsx') },
  ],
  navigation: [
    { to: '/calendar', text: 'calendar:title', icon: IconCalendar, order: 35, keys: 'g k' },
  ],
});
