// The door of reports.
import { messageFinished } from '#areas/delivery/server/index.ts';
import { type Area, on } from '#platform/server/area.ts';
import { prepareSums, refreshSumsJob } from './kept-sums.ts';
import { publicReportRoutes } from './public-routes.ts';
import { reportRoutes } from './routes.ts';

export const area: Area = {
  name: 'reports',
  routes: [...reportRoutes, ...publicReportRoutes],
  jobs: [refreshSumsJob],
  listens: [on(messageFinished, prepareSums)],
};
