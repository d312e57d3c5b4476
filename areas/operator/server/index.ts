// The public interface of the operator's page.
import type { Area } from '#platform/server/area.ts';
import { operatorRoutes } from './routes.ts';

export const area: Area = { name: 'operator', routes: operatorRoutes };
