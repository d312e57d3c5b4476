// Fields in the public API.
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
import { FIELD_TYPES, MAX_TITLE_LENGTH } from './shared.ts';

export const PublicField = z.object({
  id: Id,
  title: z.string(),
  account_id: Id,
  user_id: Id.nullable(),
  created: V2Time,
  modified: V2Time,
  type: z.enum(FIELD_TYPES),
  show: z.number().describe('1 if the field is shown as a column of lists, otherwise 0.'),
  /** The key in a subscriber's `fields`; braces and dollar are optional. */
  field_name: z
    .string()
    .describe('The key of the field in the `fields` of a subscriber, such as `{$name}`.'),
  position: z.number(),
  default: z.boolean(),
});
export type PublicField = z.infer<typeof PublicField>;

const params = z.object({ id: idOf('field') });

export const publicCalls = defineCalls({
  listFields: {
    method: 'GET',
    path: '/v2/fields',
    caller: 'account',
    summary: 'List custom fields',
    description:
      'Returns the oldest fields first. `field_name` is the key of the field in the `fields` of a subscriber.',
    query: v2List({ order: 'created', direction: 'asc' }),
    response: v2Page(PublicField),
  },
  createField: {
    method: 'POST',
    path: '/v2/fields',
    caller: 'account',
    requiredRight: 'settings',
    summary: 'Create a custom field',
    description:
      'The name of the field is derived from its title. Values of the type `birthday` are a day and a month without a year: `MM-DD` and `MM/DD` are accepted, and `MM-DD` is returned. An account can have 500 fields.',
    body: z.object({ title: line(MAX_TITLE_LENGTH, 1), type: z.enum(FIELD_TYPES).default('text') }),
    response: v2Saved(PublicField),
    errors: { title_taken: 409, too_many_fields: 422 },
    example: { body: { title: 'Favorite tea', type: 'text' } },
  },
  updateField: {
    method: 'PATCH',
    path: '/v2/fields/{id}',
    caller: 'account',
    requiredRight: 'settings',
    summary: 'Update a custom field',
    description: 'Changes the title and the visibility. The name and the type cannot be changed.',
    params,
    body: z.object({ title: line(MAX_TITLE_LENGTH, 1).optional(), show: FlexibleFlag.optional() }),
    response: v2Saved(PublicField),
    errors: { title_taken: 409 },
    example: { body: { title: 'Favorite of all teas' } },
  },
  deleteField: {
    method: 'DELETE',
    path: '/v2/fields/{id}',
    caller: 'account',
    requiredRight: 'people.delete',
    summary: 'Delete a custom field with its values',
    description:
      'Returns 409 `field_in_use` while something uses the field, such as a segment, a form or a workflow.',
    params,
    response: V2SuccessResponse,
    errors: { field_in_use: 409 },
  },
});
