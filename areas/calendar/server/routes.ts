// Routes of the calendar.
import { type Route, serve } from '#platform/server/http/serve.ts';
import { calls } from '../contract.ts';
import { listRecurring, readCalendar } from './calendar.ts';

export const calendarRoutes: Route[] = serve('calendar', calls, {
  readCalendar: ({ tx, who, query }) => readCalendar(tx, who.accountId, query),
  listSeries: ({ tx, who }) => listRecurring(tx, who.accountId),
});
