// Routes of custom events.
import { type Route, serve } from '#platform/server/http/serve.ts';
import { calls } from '../contract.ts';
import { publicCalls } from '../public-contract.ts';
import * as events from './custom-events.ts';

const own = serve('events', calls, {
  listEvents: ({ tx, who, query }) => events.listEvents(tx, who.accountId, query.list),
  createEvent: ({ tx, who, body }) => events.createEvent(tx, who.accountId, body),
  readEvent: ({ tx, who, params }) => events.readEvent(tx, who.accountId, params.id),
  updateEvent: ({ tx, who, params, body }) =>
    events.describeEvent(tx, who.accountId, params.id, body.description),
  deleteEvent: ({ tx, who, params }) =>
    events.deleteEvent(tx, who.accountId, params.id, who.language),
  readChart: ({ tx, who, params, query }) => events.chartOf(tx, who.accountId, params.id, query),
  listOccurrences: ({ tx, who, params, query }) =>
    events.listOccurrences(tx, who.accountId, params.id, query.list),
});

const shared = serve('events', publicCalls, {
  recordEvent: async ({ tx, who, body }) => {
    await events.recordEvent(tx, who.accountId, body);
    return { success: true as const, message: 'Event has been recorded' };
  },
});

export const eventRoutes: Route[] = [...own, ...shared];
