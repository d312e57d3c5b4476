// Routes for segments.
import { createCloseSignal } from '#platform/server/http/event-stream.ts';
import { type Route, createRoutes } from '#platform/server/http/serve.ts';
import { calls } from '../contract.ts';
import { suggestSegment } from './from-description.ts';
import * as segments from './segments.ts';

export const segmentRoutes: Route[] = createRoutes(
  'segments',
  calls,
  {
    listSegments: ({ tx, caller, query }) => segments.listSegments(tx, caller, query.list),
    getSegment: ({ tx, caller, params }) => segments.readSegment(tx, caller, params.id),
    createSegment: ({ tx, caller, body }) => segments.createSegment(tx, caller, body),
    updateSegment: ({ tx, caller, params, body }) =>
      segments.updateSegment(tx, caller, params.id, body),
    duplicateSegment: ({ tx, caller, params, body }) =>
      segments.duplicateSegment(tx, caller, params.id, body.title),
    deleteSegment: ({ tx, caller, params }) =>
      segments.deleteSegment(tx, caller.accountId, params.id),
    segmentFromWords: ({ db, caller, body, reply }) =>
      suggestSegment(db, caller, body, createCloseSignal(reply)),
    previewSegment: ({ tx, caller, body }) =>
      segments.previewConditions(tx, caller, body.conditions),
  },
  {},
  'models',
);
