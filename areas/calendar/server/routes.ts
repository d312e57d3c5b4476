// Routes for the calendar.
import { type Route, createRoutes } from '#platform/server/http/serve.ts';
import { calls } from '../contract.ts';
import { listRecurring, readCalendar } from './calendar.ts';

export const calendarRoutes: Route[] = createRoutes('calendar', calls, {
  readCalendar: ({ tx, caller, query }) => readCalendar(tx, caller.accountId, query),
  listSeries: ({ tx, caller }) => listRecurring(tx, caller.accountId),
});
