// Routes for segments in the public API.
import { type Route, createRoutes } from '#platform/server/http/serve.ts';
import { presentPage } from '#platform/server/http/v2.ts';
import { formatV2Time } from '#platform/v2-contract.ts';
import type { Segment } from '../contract.ts';
import { type PublicSegment, publicCalls } from '../public-contract.ts';
import * as segments from './segments.ts';

export const publicSegmentRoutes: Route[] = createRoutes('segments', publicCalls, {
  listSegments: async ({ tx, caller, query, request }) =>
    presentPage(request, await segments.listSegments(tx, caller, query.list), present),
  getSegment: async ({ tx, caller, params }) =>
    present(await segments.readSegment(tx, caller, params.id)),
  createSegment: async ({ tx, caller, body: { name: title, conditions } }) => {
    const data = present(await segments.createSegment(tx, caller, { title, conditions }));
    return { success: true as const, message: 'Segment has been created', data };
  },
  countSegment: async ({ tx, caller, body }) => {
    const counts = await segments.previewConditions(tx, caller, body.conditions);
    const { subscribers, active_subscribers, phone_count } = counts;
    return { subscribers, active_subscribers, phone_count };
  },
  deleteSegment: async ({ tx, caller, params }) => {
    await segments.deleteSegment(tx, caller.accountId, params.id);
    return { success: true as const, message: 'Segment has been deleted' };
  },
});

function present(segment: Segment): PublicSegment {
  const { id, account_id, title, conditions } = segment;
  return {
    id,
    account_id,
    name: title,
    conditions,
    subscribers: segment.subscribers ?? 0,
    active_subscribers: segment.active_subscribers ?? 0,
    phone_count: segment.phone_count ?? 0,
    created: formatV2Time(segment.created),
    modified: formatV2Time(segment.modified),
  };
}
