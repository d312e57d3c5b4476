// The public interface of the operator's page.
import type { Area } from '#platform/server/area.ts';
import { operatorRoutes } from './routes.ts';

export const area: Area = {
  name: 'operator',
  description: "The operator's page: the state of the installation and its accounts.",
  routes: operatorRoutes,
};
