// The calendar of everything planned, and the list of recurring campaigns.
import { z } from 'zod';
import { dataResponse, Day, defineCalls } from '#platform/contract.ts';
import { CalendarEntry, Recurring } from '../broadcasts/planned-contract.ts';
import { MAX_DAYS } from './shared.ts';

export type { CalendarEntry, Recurring } from '../broadcasts/planned-contract.ts';

export const calls = defineCalls({
  readCalendar: {
    method: 'GET',
    path: '/client-api/api/calendar',
    caller: 'account',
    summary: 'Get everything planned between two days',
    description: `Returns campaigns, SMS, resends, occurrences of recurring campaigns, decisions of experiments, and workflow runs due in the next 14 days. The range includes its first and its last day, in the account's time zone, and has at most ${MAX_DAYS} days.`,
    query: z.strictObject({ from: Day, to: Day }),
    response: dataResponse(z.object({ zone: z.string(), entries: z.array(CalendarEntry) })),
  },
  listSeries: {
    method: 'GET',
    path: '/client-api/api/series',
    caller: 'account',
    summary: 'List recurring campaigns',
    description:
      'Returns email and SMS campaigns, sorted by their next occurrence; ended campaigns are last.',
    response: dataResponse(z.array(Recurring)),
  },
});
