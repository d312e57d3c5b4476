// Public interface of the calendar.
import type { Area } from '#platform/server/area.ts';
import { calendarRoutes } from './routes.ts';

export const area: Area = {
  name: 'calendar',
  description: 'The calendar of planned and sent campaigns, and recurring campaigns.',
  routes: calendarRoutes,
};
