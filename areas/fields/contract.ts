// Custom fields: what an account keeps about its people beyond the default merge tags
// (specification sections 3 and 7). The type never changes.
import { z } from 'zod';
import {
  dataAnswer,
  defineCalls,
  Done,
  Id,
  idOf,
  Instant,
  line,
  listAnswer,
  listQuery,
} from '#platform/contract.ts';
import { FIELD_TYPES, TITLE_MOST } from './limits.ts';

export const Field = z.object({
  id: Id,
  /** The merge tag's name: `{{name}}`. */
  name: z.string(),
  title: z.string(),
  type: z.enum(FIELD_TYPES),
  account_id: Id,
  /** Shown as a column of lists where nothing else is chosen. */
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
    who: 'account',
    summary: 'Custom fields',
    query: listQuery({ sorts: ['title', 'created', 'modified'], order: 'title', direction: 'asc' }),
    answer: listAnswer(Field),
  },
  createField: {
    method: 'POST',
    path: '/client-api/api/fields',
    who: 'account',
    summary: 'Creates a field; its merge tag comes from the title',
    body: z.strictObject({
      title: line(TITLE_MOST, 1),
      type: z.enum(FIELD_TYPES).default('text'),
    }),
    answer: dataAnswer(Field),
    errors: { title_taken: 409, too_many_fields: 422 },
  },
  updateField: {
    method: 'PATCH',
    path: '/client-api/api/fields/{id}',
    who: 'account',
    summary: 'Renames a field, shows or hides it; its merge tag and type stay',
    params,
    body: z.strictObject({ title: line(TITLE_MOST, 1).optional(), show: z.boolean().optional() }),
    answer: dataAnswer(Field),
    errors: { title_taken: 409 },
  },
  deleteField: {
    method: 'DELETE',
    path: '/client-api/api/fields/{id}',
    who: 'account',
    summary: 'Deletes a field and its values; refused while something depends on it',
    params,
    answer: Done,
    errors: { field_in_use: 409 },
  },
});
