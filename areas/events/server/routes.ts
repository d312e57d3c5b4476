// Routes for custom events.
import type { z } from 'zod';
import { saveRows } from '#platform/server/http/batch-rows.ts';
import { type Route, createRoutes } from '#platform/server/http/serve.ts';
import { buildBatchResponse } from '#platform/v2-contract.ts';
import { calls } from '../contract.ts';
import { NewEvent, publicCalls } from '../public-contract.ts';
import * as events from './custom-events.ts';

const accountRoutes = createRoutes('events', calls, {
  listEvents: ({ tx, caller, query }) => events.listEvents(tx, caller.accountId, query.list),
  createEvent: ({ tx, caller, body }) => events.createEvent(tx, caller.accountId, body),
  readEvent: ({ tx, caller, params }) => events.readEvent(tx, caller.accountId, params.id),
  updateEvent: ({ tx, caller, params, body }) =>
    events.describeEvent(tx, caller.accountId, params.id, body.description),
  deleteEvent: ({ tx, caller, params }) =>
    events.deleteEvent(tx, caller.accountId, params.id, caller.language),
  readChart: ({ tx, caller, params, query }) =>
    events.buildChart(tx, caller.accountId, params.id, query),
  listOccurrences: ({ tx, caller, params, query }) =>
    events.listOccurrences(tx, caller.accountId, params.id, query.list),
});

const publicRoutes = createRoutes('events', publicCalls, {
  recordEvents: async ({ tx, caller, body }) => {
    const save = async (row: z.output<typeof NewEvent>) => {
      await events.recordEvent(tx, caller.accountId, row);
      return {};
    };
    const errorTexts = { area: 'events', language: caller.language };
    return buildBatchResponse(
      await saveRows(tx, { rows: body.events, schema: NewEvent }, save, errorTexts),
    );
  },
  recordEvent: async ({ tx, caller, body }) => {
    await events.recordEvent(tx, caller.accountId, body);
    return { success: true as const, message: 'Event has been recorded' };
  },
});

export const eventRoutes: Route[] = [...accountRoutes, ...publicRoutes];
