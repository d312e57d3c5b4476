// Routes for fields in the public API.
import { encodeId } from '#platform/ids.ts';
import { type Route, createRoutes } from '#platform/server/http/serve.ts';
import { presentPage } from '#platform/server/http/v2.ts';
import { formatV2Time } from '#platform/v2-contract.ts';
import type { Field } from '../contract.ts';
import { type PublicField, publicCalls } from '../public-contract.ts';
import * as fields from './fields.ts';

export const publicFieldRoutes: Route[] = createRoutes('fields', publicCalls, {
  listFields: async ({ tx, caller, query, request }) =>
    presentPage(request, await fields.listFields(tx, caller.accountId, query.list), present),
  createField: async ({ tx, caller, body }) => {
    const field = fields.presentField(await fields.createField(tx, caller.accountId, body));
    return { success: true as const, message: 'Field successfully created', data: present(field) };
  },
  updateField: async ({ tx, caller, params, body }) => {
    const row = await fields.updateField(tx, caller.accountId, params.id, body);
    const data = present(fields.presentField(row));
    return { success: true as const, message: 'Field successfully updated', data };
  },
  deleteField: async ({ tx, caller, params }) => {
    await fields.deleteField(tx, caller.accountId, params.id, caller.language);
    return { success: true as const, message: `Field ${encodeId('field', params.id)} was deleted` };
  },
});

function present(field: Field): PublicField {
  const { id, title, account_id, type, position, name } = field;
  return {
    id,
    title,
    account_id,
    user_id: null,
    created: formatV2Time(field.created),
    modified: formatV2Time(field.modified),
    type,
    show: field.show ? 1 : 0,
    field_name: `{$${name}}`,
    position,
    default: false,
  };
}
