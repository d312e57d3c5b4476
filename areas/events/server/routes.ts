// Routes of custom events.
import type { z } from 'zod';
import { saveRows } from '#platform/server/http/batch-rows.ts';
import { type Route, serve } from '#platform/server/http/serve.ts';
import { answerBatch } from '#platform/v2-contract.ts';
import { calls } from '../contract.ts';
import { NewEvent, publicCalls } from '../public-contract.ts';
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
  recordEvents: async ({ tx, who, body }) => {
    const save = async (row: z.output<typeof NewEvent>) => {
      await events.recordEvent(tx, who.accountId, row);
      return {};
    };
    const errorTexts = { area: 'events', language: who.language };
    return answerBatch(
      await saveRows(tx, { rows: body.events, schema: NewEvent }, save, errorTexts),
    );
  },
  recordEvent: async ({ tx, who, body }) => {
    await events.recordEvent(tx, who.accountId, body);
    return { success: true as const, message: 'Event has been recorded' };
  },
});

export const eventRoutes: Route[] = [...own, ...shared];
