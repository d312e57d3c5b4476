// Groups (`tags` on the wire): static labels of subscribers.
import { z } from 'zod';
import {
  dataResponse,
  defineCalls,
  SuccessResponse,
  Id,
  idOf,
  Instant,
  line,
  listResponse,
  listQuery,
} from '#platform/contract.ts';
import { MAX_TITLE_LENGTH } from './shared.ts';

export const Group = z.object({
  id: Id,
  title: z.string(),
  account_id: Id,
  /** Existing members with any status. */
  recipient_count: z.number(),
  /** The next three properties count members by email status: active, unsubscribed and bounced. */
  active_subscribers: z.number(),
  unsubscribed_count: z.number(),
  bounced_count: z.number(),
  /** Members with a phone number, and members with an active SMS status. */
  phone_count: z.number(),
  active_phone_count: z.number(),
  /** Whether subscribers may join and leave the group on the preference page. */
  is_public: z.boolean(),
  created: Instant,
  modified: Instant,
});
export type Group = z.infer<typeof Group>;

const body = z.strictObject({ title: line(MAX_TITLE_LENGTH, 1) });
const change = z.strictObject({
  title: line(MAX_TITLE_LENGTH, 1).optional(),
  is_public: z.boolean().optional(),
});

export const calls = defineCalls({
  listGroups: {
    method: 'GET',
    path: '/client-api/api/tags',
    caller: 'account',
    summary: 'List groups with their counts',
    query: listQuery({ sorts: ['title', 'created', 'modified'], order: 'title', direction: 'asc' }),
    response: listResponse(Group),
  },
  getGroup: {
    method: 'GET',
    path: '/client-api/api/tags/{id}',
    caller: 'account',
    summary: 'Get a group with its counts',
    params: z.object({ id: idOf('group') }),
    response: dataResponse(Group),
  },
  createGroup: {
    method: 'POST',
    path: '/client-api/api/tags',
    caller: 'account',
    summary: 'Create a group',
    body,
    response: dataResponse(Group),
    errors: { title_taken: 409, too_many_groups: 422 },
  },
  renameGroup: {
    method: 'PATCH',
    path: '/client-api/api/tags/{id}',
    caller: 'account',
    summary: 'Update a group',
    description:
      'Changes the title, and whether subscribers may join and leave the group themselves.',
    params: z.object({ id: idOf('group') }),
    body: change,
    response: dataResponse(Group),
    errors: { title_taken: 409 },
  },
  deleteGroup: {
    method: 'DELETE',
    path: '/client-api/api/tags/{id}',
    caller: 'account',
    requiredRight: 'people.delete',
    summary: 'Delete a group',
    description: 'Also deletes its subscribers if `delete_subscribers` is set.',
    params: z.object({ id: idOf('group') }),
    body: z.strictObject({ delete_subscribers: z.boolean().default(false) }),
    response: SuccessResponse.extend({
      deleted_subscribers: z.number(),
      /** The remaining subscribers, and then the group, are deleted in the background. */
      queued: z.literal(true).optional(),
      /**
       * Objects that started to use the group during the deletion: its subscribers are deleted, but
       * the group remains.
       */
      kept_by: z
        .array(z.object({ kind: z.string(), id: z.string(), title: z.string() }))
        .optional(),
    }),
    transaction: 'own',
    errors: { group_in_use: 409 },
  },
});
