// The door of SMS campaigns.
import type { Area } from '#platform/server/area.ts';
import { smsRoutes } from './routes.ts';

export const area: Area = { name: 'sms', routes: smsRoutes };
