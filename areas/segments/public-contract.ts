// Segments in the public API: read and deleted; they are created in the app.
import { z } from 'zod';
import { defineCalls, Id, idOf } from '#platform/contract.ts';
import { V2Done, v2List, v2Page, V2Time } from '#platform/v2-contract.ts';
import { Condition } from './contract.ts';

export const PublicSegment = z.object({
  id: Id,
  account_id: Id,
  name: z.string(),
  conditions: z.array(Condition),
  /** The last counts: all, with an active email status, with a phone number. */
  subscribers: z.number(),
  active_subscribers: z.number(),
  phone_count: z.number(),
  created: V2Time,
  modified: V2Time,
});
export type PublicSegment = z.infer<typeof PublicSegment>;

const params = z.object({ id: idOf('segment') });

export const publicCalls = defineCalls({
  listSegments: {
    method: 'GET',
    path: '/v2/segments',
    who: 'account',
    summary: 'List segments with their counts',
    query: v2List({ order: 'created', direction: 'desc' }),
    answer: v2Page(PublicSegment),
  },
  getSegment: {
    method: 'GET',
    path: '/v2/segments/{id}',
    who: 'account',
    summary: 'Get a segment',
    description: 'Counted at request time.',
    params,
    answer: z.object({ data: PublicSegment }),
  },
  deleteSegment: {
    method: 'DELETE',
    path: '/v2/segments/{id}',
    who: 'account',
    summary: 'Delete a segment',
    description: 'Refused while a scheduled campaign uses it.',
    params,
    answer: V2Done,
    errors: { segment_in_use: 409 },
  },
});
