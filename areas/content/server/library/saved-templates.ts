// Saved templates of an account. An email contains a copy of its template, so renaming or deleting
// the template does not affect the email.
import { type CommentOwner, deleteComments } from '#areas/folders/server/index.ts';
import { encodeId } from '#platform/ids.ts';
import { clock } from '#platform/server/clock.ts';
import type { Reader, Tx } from '#platform/server/database/database.ts';
import { AppError, notFound } from '#platform/server/errors.ts';
import type { Actor } from '#platform/server/http/serve.ts';
import { MAX_SAVED_TEMPLATES } from '../../shared.ts';
import { parseDocument } from '../documents.ts';
import * as store from './saved-templates.sql.ts';
import { renderDocumentPage, readTemplatesVersion } from '../templates/templates.ts';
import { thumbnails } from '../templates/thumbnails.ts';

export async function listSavedTemplates(db: Reader, accountId: number) {
  return (await store.listTemplates(db, accountId)).map(present);
}

/** Returns the template and its document. @throws `not_found` */
export async function readSavedTemplate(db: Reader, accountId: number, id: number) {
  const row = await requireTemplate(db, accountId, id);
  return { ...present(row), document: row.document };
}

/** Returns the HTML of the thumbnail. @throws `not_found` */
export async function renderSavedTemplate(
  db: Reader,
  accountId: number,
  id: number,
  publicUrl: string,
): Promise<string> {
  const { document, modified_at } = await requireTemplate(db, accountId, id);
  const version = `${modified_at.getTime()} ${await readTemplatesVersion(db, accountId)}`;
  return thumbnails.getPage(`${accountId} saved ${id} ${version}`, () =>
    renderDocumentPage(db, accountId, document, publicUrl),
  );
}

/** @throws `too_many_templates`, `document_invalid`, `document_newer` */
export async function saveTemplate(
  tx: Tx,
  caller: Actor,
  body: { title: string; document: unknown },
) {
  if ((await store.countTemplates(tx, caller.accountId)) >= MAX_SAVED_TEMPLATES) {
    throw new AppError('too_many_templates', { values: { limit: MAX_SAVED_TEMPLATES } });
  }
  const document = parseDocument(body.document);
  const template = { title: body.title, document, created_by: caller.userId, at: clock.now() };
  return present(await store.insertTemplate(tx, caller.accountId, template));
}

export async function renameSavedTemplate(tx: Tx, accountId: number, id: number, title: string) {
  const row = await store.renameTemplate(tx, accountId, id, { title, at: clock.now() });
  if (!row) throw notFound();
  return present(row);
}

export async function deleteSavedTemplate(tx: Tx, accountId: number, id: number): Promise<void> {
  if (!(await store.deleteTemplate(tx, accountId, id))) throw notFound();
  await deleteComments(tx, accountId, 'template', id);
}

async function requireTemplate(
  db: Reader,
  accountId: number,
  id: number,
): Promise<store.SavedTemplateRow> {
  const row = await store.findTemplate(db, accountId, id);
  if (!row) throw notFound();
  return row;
}

/**
 * Presents a template. The thumbnail's URL changes with it, so that the gallery requests the new
 * page.
 */
function present({ id, title, modified_at }: store.ListedTemplateRow) {
  const key = encodeId('template', id);
  const thumbnail_url = `/client-api/api/saved_templates/${key}/html?v=${modified_at.getTime()}`;
  return { id: key, title, modified: modified_at.toISOString(), thumbnail_url };
}

export const commentedTemplates: CommentOwner = {
  area: 'content',
  kind: 'template',
  base: '/client-api/api/saved_templates',
  describeItem: async (db, accountId, id) => {
    const { title } = await requireTemplate(db, accountId, id);
    return { title, path: '/campaigns/create' };
  },
};
