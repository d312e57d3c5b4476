// Routes for forms in the public API.
import { type Route, createRoutes } from '#platform/server/http/serve.ts';
import { presentPage } from '#platform/server/http/v2.ts';
import { formatV2Time } from '#platform/v2-contract.ts';
import type { FormSummary } from '../contract.ts';
import { type PublicForm, publicCalls } from '../public-contract.ts';
import { listForms, readForm, buildTagUrl } from './forms.ts';

export const publicFormRoutes: Route[] = createRoutes('forms', publicCalls, {
  listForms: async ({ tx, caller, query: { list, type, is_active }, request }) =>
    presentPage(request, await listForms(tx, caller.accountId, list, type, is_active), (form) =>
      present(form, caller.accountId),
    ),
  readForm: async ({ tx, caller, params }) => {
    const form = await readForm(tx, caller.accountId, params.id);
    const { id, settings } = form;
    return present(
      { ...form, settings: { id, embed_hash: settings.embed_hash } },
      caller.accountId,
    );
  },
});

type PublicFormRow = Pick<FormSummary, 'id' | 'title' | 'type' | 'created' | 'modified'> & {
  is_active: boolean | number;
  settings: { id: string; embed_hash: string };
};

const present = (form: PublicFormRow, accountId: number): PublicForm => ({
  id: form.id,
  title: form.title,
  type: form.type,
  is_active: Boolean(form.is_active),
  thumbnail_url: null,
  settings: {
    id: form.settings.id,
    embed_hash: form.settings.embed_hash,
    resource_path: buildTagUrl(accountId),
  },
  created: formatV2Time(form.created),
  modified: formatV2Time(form.modified),
});
