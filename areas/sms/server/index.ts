// The door of SMS campaigns.
export { smsRoutes } from './routes.ts';
