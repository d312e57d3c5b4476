// The calls of segments.
import { type Route, serve } from '#platform/server/http/serve.ts';
import { calls } from '../contract.ts';
import * as segments from './segments.ts';

export const segmentRoutes: Route[] = serve('segments', calls, {
  listSegments: ({ tx, who, query }) => segments.listSegments(tx, who, query.list),
  getSegment: async ({ tx, who, params }) => ({
    data: await segments.readSegment(tx, who, params.id),
  }),
  createSegment: async ({ tx, who, body }) => ({
    data: await segments.createSegment(tx, who, body),
  }),
  updateSegment: async ({ tx, who, params, body }) => ({
    data: await segments.updateSegment(tx, who, params.id, body),
  }),
  duplicateSegment: async ({ tx, who, params, body }) => ({
    data: await segments.duplicateSegment(tx, who, params.id, body.title),
  }),
  deleteSegment: async ({ tx, who, params }) => {
    await segments.deleteSegment(tx, who.accountId, params.id);
    return { success: true as const };
  },
  previewSegment: async ({ tx, who, body }) => ({
    data: await segments.previewConditions(tx, who, body.conditions),
  }),
});
