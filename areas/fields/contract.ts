// Custom fields: subscriber data beyond the default merge tags. A field's type never changes.
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
import { FIELD_TYPES, MAX_TITLE_LENGTH } from './shared.ts';

export const Field = z.object({
  id: Id,
  /** The merge tag's name: `{{name}}`. */
  name: z.string(),
  title: z.string(),
  type: z.enum(FIELD_TYPES),
  account_id: Id,
  /** Shown as a list column by default. */
  show: z.boolean(),
  position: z.number(),
  created: Instant,
  modified: Instant,
});
export type Field = z.infer<typeof Field>;

const params = z.object({ id: idOf('field') });

export const calls = defineCalls({
  listFields: {
    method: 'GET',
    path: '/client-api/api/fields',
    caller: 'account',
    summary: 'List custom fields',
    query: listQuery({ sorts: ['title', 'created', 'modified'], order: 'title', direction: 'asc' }),
    response: listResponse(Field),
  },
  createField: {
    method: 'POST',
    path: '/client-api/api/fields',
    caller: 'account',
    requiredRight: 'settings',
    summary: 'Create a custom field',
    description: 'Its merge tag is derived from the title.',
    body: z.strictObject({
      title: line(MAX_TITLE_LENGTH, 1),
      type: z.enum(FIELD_TYPES).default('text'),
    }),
    response: dataResponse(Field),
    errors: { title_taken: 409, too_many_fields: 422 },
  },
  updateField: {
    method: 'PATCH',
    path: '/client-api/api/fields/{id}',
    caller: 'account',
    requiredRight: 'settings',
    summary: 'Update a custom field',
    description:
      'Changes the title and the visibility. The merge tag and the type cannot be changed.',
    params,
    body: z.strictObject({
      title: line(MAX_TITLE_LENGTH, 1).optional(),
      show: z.boolean().optional(),
    }),
    response: dataResponse(Field),
    errors: { title_taken: 409 },
  },
  deleteField: {
    method: 'DELETE',
    path: '/client-api/api/fields/{id}',
    caller: 'account',
    requiredRight: 'people.delete',
    summary: 'Delete a custom field with its values',
    description:
      'Returns 409 `field_in_use` while something uses the field, such as a segment, a form or a workflow.',
    params,
    response: SuccessResponse,
    errors: { field_in_use: 409 },
  },
});
