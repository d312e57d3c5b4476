// The door of exports: what main/ connects and tests of faults start.
export { exportReady } from './events.ts';
export { exportsPoller, forgetPeople as forgetExported } from './exports.ts';
export { exportRoutes } from './routes.ts';
export { exportJob } from './run-export.ts';
export { startExport } from './start-export.ts';
