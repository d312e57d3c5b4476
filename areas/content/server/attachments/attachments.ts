// Attachments: upload, list, remove, and read when a message is compiled for sending. A message
// refers to them; only the process that sends it reads their bytes.
import { createHash, randomUUID } from 'node:crypto';
import { Readable } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import { encodeId } from '#platform/ids.ts';
import { clock } from '#platform/server/clock.ts';
import {
  type Db,
  inTransaction,
  type Reader,
  type Tx,
} from '#platform/server/database/database.ts';
import { AppError, notFound } from '#platform/server/errors.ts';
import { files } from '#platform/server/files/files.ts';
import { type RightsHolder, requireRight } from '#platform/server/http/rights.ts';
import type { Actor } from '#platform/server/http/serve.ts';
import type { ContentAttachment } from '../../composing-contract.ts';
import { ATTACHMENT_RETENTION_DAYS, MAX_ATTACHED, MAX_ATTACHED_BYTES } from '../../shared.ts';
import type { Email, EmailAdapter } from '../composing/email.ts';
import type { AttachedFile, MessageSource } from '../personalization/message-source.ts';
import * as store from './attachments.sql.ts';
import { identifyAttachment } from './kinds.ts';

type AttachmentAuthor = Actor & RightsHolder;
const DAY_MS = 86_400_000;

/** Returns the current time and the time of the next purge check. */
export function createTimes(): { at: Date; checkAt: Date } {
  const at = clock.now();
  return { at, checkAt: new Date(at.getTime() + ATTACHMENT_RETENTION_DAYS * DAY_MS) };
}

export async function listAttachments(db: Reader, email: Email): Promise<ContentAttachment[]> {
  return (await listRows(db, email)).map(present);
}

/**
 * Attaches a file. An identical file with the same name is attached once, so that a request can be
 * repeated after a lost response.
 */
export async function attach(
  db: Db,
  adapter: EmailAdapter,
  caller: AttachmentAuthor,
  id: number,
  readFile: () => Promise<{ name: string; bytes: Buffer }>,
): Promise<ContentAttachment> {
  const { accountId, userId } = caller;
  // The email is checked before the upload is read.
  const emailBefore = await inTransaction(db, (tx) => adapter.lock(tx, accountId, id));
  if (emailBefore.rightToChange) requireRight(caller, emailBefore.rightToChange);
  requireContent(emailBefore);
  const file = await readFile();
  const fileType = identifyAttachment(file.name, file.bytes);
  if (fileType === undefined || file.bytes.length === 0) throw new AppError('attachment_refused');
  const hash = createHash('sha256').update(file.bytes).digest();
  const key = `attachments/${accountId}/${randomUUID()}`;
  // The file is stored before its row, so that no row refers to a missing file.
  await files.put(key, Readable.from([file.bytes]));
  let isNamed = false;
  try {
    return await inTransaction(db, async (tx) => {
      const email = await adapter.lock(tx, accountId, id);
      const contentId = requireContent(email);
      const existing = await listRows(tx, email);
      const duplicate = existing.find(
        (attachment) => attachment.name === fileType.name && hash.equals(attachment.hash),
      );
      if (duplicate) return present(duplicate);
      requireCapacity(existing, file.bytes.length);
      const fileColumns = { ...fileType, bytes: file.bytes.length, hash, file_key: key };
      const row = { content_id: contentId, ...fileColumns, created_by: userId };
      const insertedRow = await store.insertAttachment(tx, accountId, row, createTimes());
      // From here on the row may exist even if this process does not learn that the commit
      // succeeded.
      isNamed = true;
      return present(insertedRow);
    });
  } finally {
    if (!isNamed) await files.remove(key);
  }
}

function requireCapacity(existing: readonly store.AttachmentRow[], bytes: number): void {
  if (existing.length >= MAX_ATTACHED) {
    throw new AppError('attachments_full', { values: { limit: MAX_ATTACHED } });
  }
  const totalBytes = existing.reduce((total, attachment) => total + attachment.bytes, bytes);
  if (totalBytes > MAX_ATTACHED_BYTES) {
    const limit = MAX_ATTACHED_BYTES / 1024 / 1024;
    throw new AppError('attachments_too_large', { values: { limit } });
  }
}

export async function detach(
  tx: Tx,
  adapter: EmailAdapter,
  caller: AttachmentAuthor,
  id: number,
  attachmentId: number,
): Promise<void> {
  const { accountId } = caller;
  const email = await adapter.lock(tx, accountId, id);
  if (email.rightToChange) requireRight(caller, email.rightToChange);
  if (!email.content) throw notFound();
  const attachmentKey = { contentId: email.content.content_id, id: attachmentId };
  if (!(await store.removeAttachment(tx, accountId, attachmentKey, createTimes())))
    throw notFound();
}

/** Returns the references to attachments that a message stores. */
export async function readAttachedFiles(
  db: Reader,
  email: Pick<Email, 'accountId' | 'content'>,
): Promise<AttachedFile[]> {
  const rows = await listRows(db, email);
  return rows.map(({ file_key: key, name, type, bytes }) => ({ key, name, type, bytes }));
}

/** Returns a message for sending, with the content of its files. @throws if a file is missing */
export async function loadFiles<Source extends Pick<MessageSource, 'files' | 'attachments'>>(
  source: Source,
): Promise<Source> {
  const { files: named = [], attachments = [] } = source;
  if (named.length === 0) return source;
  const loadedFiles = await Promise.all(
    named.map(async ({ key, name, type }) => {
      const content = await files.get(key);
      if (!content) throw new MissingFileError(`${name} is missing`);
      return { name, type, base64: (await buffer(content)).toString('base64') };
    }),
  );
  return { ...source, attachments: [...attachments, ...loadedFiles] };
}

/** Error of a message that refers to a deleted file and therefore cannot be sent as composed. */
export class MissingFileError extends Error {}

async function listRows(
  db: Reader,
  { accountId, content }: Pick<Email, 'accountId' | 'content'>,
): Promise<store.AttachmentRow[]> {
  return content ? store.listAttachments(db, accountId, content.content_id) : [];
}

/** Returns the content's id. An email without content cannot have attachments. */
function requireContent({ content }: Email): number {
  if (!content) throw new AppError('content_missing');
  return content.content_id;
}

function present(row: store.AttachmentRow): ContentAttachment {
  const { id, name, type, bytes } = row;
  return { id: encodeId('attachment', id), name, type, bytes };
}
