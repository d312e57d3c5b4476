// The public interface of the dashboard.
import { sendingOptions } from '#areas/content/server/index.ts';
import type { Area } from '#platform/server/area.ts';
import type { Config } from '#platform/server/config.ts';
import { dashboardRoutes } from './routes.ts';

export function area(config: Config): Area {
  return {
    name: 'dashboard',
    routes: dashboardRoutes({
      monthlyEmails: config.monthlyEmails,
      sending: sendingOptions(config),
      lettersFrom: config.lettersFrom ?? `sendloom@${new URL(config.publicUrl).hostname}`,
    }),
  };
}
