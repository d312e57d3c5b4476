// The door of the built-in receiver of webhooks.
export { hookBoxRoutes } from './routes.ts';
