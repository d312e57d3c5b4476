// The door of reports.
export { reportRoutes } from './routes.ts';
