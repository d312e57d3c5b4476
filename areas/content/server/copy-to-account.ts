// Copies content, its images and attachments to another account, so that the copy remains when the
// first account deletes its files. Files are stored before the transaction that references them.
import { randomUUID } from 'node:crypto';
import { Readable } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import type { Db, Tx } from '#platform/server/database/database.ts';
import { files } from '#platform/server/files/files.ts';
import type { Actor } from '#platform/server/http/serve.ts';
import { createTimes } from './attachments/attachments.ts';
import {
  insertAttachment,
  listAttachments,
  type NewAttachment,
} from './attachments/attachments.sql.ts';
import { type ContentInput, type ContentRef, readContent, saveContent } from './contents.ts';
import { copyImages } from './images/images.ts';

type File = Omit<NewAttachment, 'content_id'>;

export type ContentCopy = { content: ContentInput; files: File[] };

/** Reads one revision and stores its files in the other account. */
export async function copyFiles(
  db: Db,
  accountId: number,
  ref: ContentRef,
  target: Actor,
): Promise<ContentCopy> {
  const { kind, document, html, plain_text, inline_css } = await readContent(db, accountId, ref);
  const content = { document, html, plain_text };
  const text = await copyImages(db, accountId, target, JSON.stringify(content));
  const copy = JSON.parse(text) as typeof content;
  return {
    content: { kind: kind as ContentInput['kind'], inline_css, ...copy },
    files: await copyAttached(db, accountId, ref.content_id, target),
  };
}

export async function saveCopy(tx: Tx, target: Actor, copy: ContentCopy): Promise<ContentRef> {
  const ref = await saveContent(tx, target.accountId, null, copy.content, target.userId);
  for (const file of copy.files) {
    await insertAttachment(
      tx,
      target.accountId,
      { content_id: ref.content_id, ...file },
      createTimes(),
    );
  }
  return ref;
}

/**
 * Deletes the files of a copy that was not saved. Its images remain in the library of the other
 * account.
 */
export async function dropFiles(copy: ContentCopy): Promise<void> {
  for (const file of copy.files) await files.remove(file.file_key);
}

async function copyAttached(
  db: Db,
  accountId: number,
  contentId: number,
  target: Actor,
): Promise<File[]> {
  const copies: File[] = [];
  for (const { name, type, bytes, hash, file_key } of await listAttachments(
    db,
    accountId,
    contentId,
  )) {
    const content = await files.get(file_key);
    if (!content) continue;
    const key = `attachments/${target.accountId}/${randomUUID()}`;
    await files.put(key, Readable.from([await buffer(content)]));
    copies.push({ name, type, bytes, hash, file_key: key, created_by: target.userId });
  }
  return copies;
}
