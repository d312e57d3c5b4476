// The door of the audience: what higher floors and main/ may call.
export { bulkActJob } from './bulk.ts';
export { bulkActsUsingField, bulkActsUsingGroup } from './bulk-uses.ts';
export { audienceRoutes } from './routes.ts';
