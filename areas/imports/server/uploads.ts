// Uploaded files that wait for their start: the limit per account, their list and their deletion.
import { encodeId } from '#platform/ids.ts';
import type { Language } from '#platform/languages.ts';
import type { Reader, Tx } from '#platform/server/database/database.ts';
import { AppError, notFound } from '#platform/server/errors.ts';
import { files } from '#platform/server/files/files.ts';
import { serverTexts } from '#platform/server/texts.ts';
import type { Upload } from '../contract.ts';
import { MAX_UPLOADS } from '../shared.ts';
import * as store from './imports.sql.ts';

/**
 * Requires that the account may upload another file.
 * @throws 409 `too_many_uploads`
 */
export async function requireUploadSlot(db: Reader, accountId: number): Promise<void> {
  if ((await store.listCountedUploads(db, accountId)).length < MAX_UPLOADS) return;
  throw new AppError('too_many_uploads', { values: { most: MAX_UPLOADS } });
}

/** Checks the limit under a lock: other uploads of the account wait until this transaction ends. */
export async function lockUploadSlot(tx: Tx, accountId: number): Promise<void> {
  await store.lockUploads(tx, accountId);
  await requireUploadSlot(tx, accountId);
}

/** Lists uploads that were not started, newest first. */
export async function listUploads(
  db: Reader,
  accountId: number,
  language: Language,
): Promise<Upload[]> {
  const rows = await store.listUnstartedImports(db, accountId);
  return rows.map((row) => ({
    id: encodeId('import', row.id),
    state: row.state as Upload['state'],
    method: row.method as Upload['method'],
    fileName: row.file_name ?? '',
    rowCount: row.row_count ?? 0,
    error: presentFetchError(row, language),
    created: row.created_at.toISOString(),
  }));
}

/** Returns the reason why fetching failed, as a code and a message, or null without a failure. */
export function presentFetchError(
  { state, error_code: code, file_name: name }: store.ImportRow,
  language: Language,
): Upload['error'] {
  if (state !== 'fetch_failed' || code === null) return null;
  const message = serverTexts('imports', language)(`errors.${code}`, { service: name ?? '' });
  return { code, message };
}

/**
 * Deletes an upload.
 * @throws `not_found`, `import_already_started`
 */
export async function removeUpload(tx: Tx, accountId: number, id: number): Promise<void> {
  const row = await store.lockImport(tx, accountId, id);
  if (!row) throw notFound();
  if (!(await store.deleteUnstartedImport(tx, accountId, id)))
    throw new AppError('import_already_started');
  // The file is deleted before the commit, because a file without a row would remain forever.
  if (row.file_key !== null) await files.remove(row.file_key);
}
