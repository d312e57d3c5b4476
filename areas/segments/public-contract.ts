// Segments in the public API: read, created from conditions, counted and deleted.
import { z } from 'zod';
import { defineCalls, Id, idOf, line } from '#platform/contract.ts';
import {
  absent,
  V2SuccessResponse,
  v2List,
  v2Page,
  v2Saved,
  V2Time,
} from '#platform/v2-contract.ts';
import { Condition, Conditions, malformedErrors } from './contract.ts';
import { MAX_TITLE_LENGTH } from './shared.ts';

export const PublicSegment = z.object({
  id: Id,
  account_id: Id,
  name: z.string(),
  conditions: z.array(Condition),
  /**
   * The last counts: all subscribers, subscribers with an active email status, and subscribers with
   * a phone number.
   */
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
    caller: 'account',
    summary: 'List segments with their counts',
    description:
      'Returns the newest segments first, with stored counts. Counts that are older than five minutes are updated in the background, and a segment that was not counted yet has 0.',
    query: v2List({ order: 'created', direction: 'desc' }),
    response: v2Page(PublicSegment),
  },
  getSegment: {
    method: 'GET',
    path: '/v2/segments/{id}',
    caller: 'account',
    summary: 'Get a segment',
    description: 'Subscribers are counted at request time.',
    params,
    response: z.object({ data: PublicSegment }),
  },
  createSegment: {
    method: 'POST',
    path: '/v2/segments',
    caller: 'account',
    summary: 'Create a segment from conditions',
    description:
      '`conditions` is a string in the grammar of `docs/api/filter-grammar.md`, or a list of objects as in the `conditions` of a segment. Without a name, one is generated from the conditions. An account can have 1,000 segments.',
    body: z.object({ name: absent(line(MAX_TITLE_LENGTH, 1)), conditions: Conditions }),
    response: v2Saved(PublicSegment),
    errors: { ...malformedErrors, conditions_missing: 422, too_many_segments: 422 },
    example: {
      body: { name: 'Active', conditions: 'email_status,is,active,1,and,and,' },
    },
  },
  countSegment: {
    method: 'POST',
    path: '/v2/segments/count',
    caller: 'account',
    requiredRight: 'read',
    slots: 'count',
    summary: 'Count subscribers who match conditions',
    description: 'Does not save the conditions. Without conditions, all subscribers match.',
    body: z.object({ conditions: Conditions }),
    response: z.object({
      data: z.object({
        subscribers: z.number(),
        active_subscribers: z.number(),
        phone_count: z.number(),
      }),
    }),
    errors: malformedErrors,
    example: { body: { conditions: 'email_status,is,active,1,and,and,' } },
  },
  deleteSegment: {
    method: 'DELETE',
    path: '/v2/segments/{id}',
    caller: 'account',
    summary: 'Delete a segment',
    description:
      'Returns 409 `segment_in_use` with `used_by` while something uses the segment, such as a scheduled campaign.',
    params,
    response: V2SuccessResponse,
    errors: { segment_in_use: 409 },
  },
});
