// Public interface of exports for system emails, main/ and fault tests.
import { subscribersErased } from '#areas/subscribers/server/index.ts';
import { type Area, on } from '#platform/server/area.ts';
import { exportsPoller, eraseSubscribers } from './exports.ts';
import { exportRoutes } from './routes.ts';
import { exportJob } from './run-export.ts';

export const area: Area = {
  name: 'exports',
  description: 'Exports of subscribers to files.',
  routes: exportRoutes,
  jobs: [exportJob],
  pollers: [exportsPoller],
  eventHandlers: [on(subscribersErased, eraseSubscribers)],
};

export { exportReady } from './events.ts';
export { startExport } from './start-export.ts';
