// Forms in the public API, which plugins for shops and sites offer for embedding.
import { z } from 'zod';
import { defineCalls, Id, idOf } from '#platform/contract.ts';
import { FlexibleFlag, v2List, v2Page, V2Time } from '#platform/v2-contract.ts';
import { TYPES } from '#embed/forms/shared/document.ts';

const PublicForm = z.object({
  id: Id,
  title: z.string(),
  type: z.enum(TYPES),
  is_active: z.boolean(),
  thumbnail_url: z.string().nullable(),
  settings: z.object({
    id: Id,
    embed_hash: z.string(),
    resource_path: z
      .string()
      .describe('The address of the script that displays the forms of the account on a page.'),
  }),
  created: V2Time,
  modified: V2Time,
});
export type PublicForm = z.infer<typeof PublicForm>;

export const publicCalls = defineCalls({
  listForms: {
    method: 'GET',
    path: '/v2/forms',
    caller: 'account',
    summary: 'List forms',
    description: 'Returns each form with its display data, newest first.',
    query: v2List(
      { order: 'created', direction: 'desc' },
      { type: z.enum(TYPES).optional(), is_active: FlexibleFlag.optional() },
    ),
    response: v2Page(PublicForm),
  },
  readForm: {
    method: 'GET',
    path: '/v2/forms/{id}',
    caller: 'account',
    summary: 'Get a form',
    description:
      '`settings` holds the data that a site needs to display the form, including the address of the script.',
    params: z.object({ id: idOf('form') }),
    response: z.object({ data: PublicForm }),
  },
});
