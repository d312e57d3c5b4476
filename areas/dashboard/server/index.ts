// The door of the dashboard.
import type { Area } from '#platform/server/area.ts';
import type { Config } from '#platform/server/config.ts';
import { dashboardRoutes } from './routes.ts';

export function area(config: Config): Area {
  return {
    name: 'dashboard',
    routes: dashboardRoutes({ monthlyEmails: config.monthlyEmails }),
  };
}
