// Groups in the public API, under /v2/groups and, for older clients, /v2/tags.
import { z } from 'zod';
import { defineCalls, Id, idOf, line } from '#platform/contract.ts';
import {
  FlexibleFlag,
  V2SuccessResponse,
  V2Time,
  v2List,
  v2Page,
  v2Saved,
} from '#platform/v2-contract.ts';
import { MAX_TITLE_LENGTH } from './shared.ts';

export const PublicGroup = z.object({
  id: Id,
  title: z.string(),
  /**
   * Number of existing members with any status. The next three properties count members by email
   * status: active, unsubscribed and bounced.
   */
  recipient_count: z.number(),
  active_subscribers: z.number(),
  unsubscribed_count: z.number(),
  bounced_count: z.number(),
  phone_count: z.number(),
  active_phone_count: z.number(),
  account_id: Id,
  user_id: Id.nullable(),
  created: V2Time,
  modified: V2Time,
  is_recalculating_subscribers: z.boolean(),
  is_favourite: z.boolean(),
  used_in_integration: z.boolean(),
});
export type PublicGroup = z.infer<typeof PublicGroup>;

const params = z.object({ id: idOf('group') });
const body = z.object({ title: line(MAX_TITLE_LENGTH, 1) });

export const groupCalls = defineCalls({
  listGroups: {
    method: 'GET',
    path: '/v2/groups',
    caller: 'account',
    summary: 'List groups with their counts',
    description:
      'Returns the newest groups first. `recipient_count` is the number of members with any status. `active_subscribers`, `unsubscribed_count` and `bounced_count` count members by their email status.',
    query: v2List({ order: 'created', direction: 'desc' }),
    response: v2Page(PublicGroup),
  },
  getGroup: {
    method: 'GET',
    path: '/v2/groups/{id}',
    caller: 'account',
    summary: 'Get a group with its counts',
    description:
      '`recipient_count` is the number of members with any status. `active_subscribers`, `unsubscribed_count` and `bounced_count` count members by their email status.',
    params,
    response: z.object({ success: z.literal(true), data: PublicGroup }),
  },
  createGroup: {
    method: 'POST',
    path: '/v2/groups',
    caller: 'account',
    summary: 'Create a group',
    description:
      'Titles are unique within an account: a title in use returns 409 `title_taken`. An account can have 10,000 groups.',
    body,
    response: v2Saved(PublicGroup),
    errors: { title_taken: 409, too_many_groups: 422 },
    example: { body: { title: 'Readers' } },
  },
  renameGroup: {
    method: 'PATCH',
    path: '/v2/groups/{id}',
    caller: 'account',
    summary: 'Rename a group',
    description:
      'The members do not change. A title that is already in use returns 409 `title_taken`.',
    params,
    body,
    response: v2Saved(PublicGroup),
    errors: { title_taken: 409 },
    example: { body: { title: 'Readers of the news' } },
  },
  deleteGroup: {
    method: 'DELETE',
    path: '/v2/groups/{id}',
    caller: 'account',
    requiredRight: 'people.delete',
    summary: 'Delete a group',
    description:
      'The members remain, unless `delete_subscribers` is set; deleting very many of them continues in the background. Returns 409 `group_in_use` with `used_by` while something uses the group, such as a workflow or a form.',
    params,
    body: z.object({ delete_subscribers: FlexibleFlag.default(false) }),
    response: V2SuccessResponse,
    transaction: 'own',
    errors: { group_in_use: 409 },
    example: { body: { delete_subscribers: false } },
  },
});
