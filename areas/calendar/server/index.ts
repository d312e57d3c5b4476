// Public interface of the calendar.
import type { Area } from '#platform/server/area.ts';
import { calendarRoutes } from './routes.ts';

export const area: Area = { name: 'calendar', routes: calendarRoutes };
