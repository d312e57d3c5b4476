// The calls of fields.
import { type Route, serve } from '#platform/server/http/serve.ts';
import { calls } from '../contract.ts';
import * as fields from './fields.ts';

export const fieldRoutes: Route[] = serve('fields', calls, {
  listFields: ({ tx, who, query }) => fields.listFields(tx, who.accountId, query.list),
  createField: async ({ tx, who, body }) =>
    fields.presentField(await fields.createField(tx, who.accountId, body)),
  updateField: async ({ tx, who, params, body }) =>
    fields.presentField(await fields.updateField(tx, who.accountId, params.id, body)),
  deleteField: ({ tx, who, params }) =>
    fields.deleteField(tx, who.accountId, params.id, who.language),
});
