// The door of the dashboard.
export { dashboardRoutes } from './routes.ts';
