// Routes for fields.
import { type Route, createRoutes } from '#platform/server/http/serve.ts';
import { calls } from '../contract.ts';
import * as fields from './fields.ts';

export const fieldRoutes: Route[] = createRoutes('fields', calls, {
  listFields: ({ tx, caller, query }) => fields.listFields(tx, caller.accountId, query.list),
  createField: async ({ tx, caller, body }) =>
    fields.presentField(await fields.createField(tx, caller.accountId, body)),
  updateField: async ({ tx, caller, params, body }) =>
    fields.presentField(await fields.updateField(tx, caller.accountId, params.id, body)),
  deleteField: ({ tx, caller, params }) =>
    fields.deleteField(tx, caller.accountId, params.id, caller.language),
});
