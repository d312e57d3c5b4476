export { hookBoxRoutes } from './routes.ts';
