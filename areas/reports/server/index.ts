// The door of reports.
export { prepareSums, refreshSumsJob } from './kept-sums.ts';
export { reportRoutes } from './routes.ts';
