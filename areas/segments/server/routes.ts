// The calls of segments.
import { endedSignal } from '#platform/server/http/event-stream.ts';
import { type Route, serve } from '#platform/server/http/serve.ts';
import { calls } from '../contract.ts';
import { segmentFromDescription } from './from-description.ts';
import * as segments from './segments.ts';

export const segmentRoutes: Route[] = serve(
  'segments',
  calls,
  {
    listSegments: ({ tx, who, query }) => segments.listSegments(tx, who, query.list),
    getSegment: ({ tx, who, params }) => segments.readSegment(tx, who, params.id),
    createSegment: ({ tx, who, body }) => segments.createSegment(tx, who, body),
    updateSegment: ({ tx, who, params, body }) => segments.updateSegment(tx, who, params.id, body),
    duplicateSegment: ({ tx, who, params, body }) =>
      segments.duplicateSegment(tx, who, params.id, body.title),
    deleteSegment: ({ tx, who, params }) => segments.deleteSegment(tx, who.accountId, params.id),
    segmentFromWords: ({ db, who, body, reply }) =>
      segmentFromDescription(db, who, body, endedSignal(reply)),
    previewSegment: ({ tx, who, body }) => segments.previewConditions(tx, who, body.conditions),
  },
  {},
  'models',
);
