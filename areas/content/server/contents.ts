// Stores email content: each save is a new immutable revision.
import { isDeepStrictEqual } from 'node:util';
import { clock } from '#platform/server/clock.ts';
import type { Reader, Tx } from '#platform/server/database/database.ts';
import { invalid, notFound } from '#platform/server/errors.ts';
import { type ContentKind, MAX_CONTENT_BYTES } from '../shared.ts';
import { createTimes } from './attachments/attachments.ts';
import { copyAttachments } from './attachments/attachments.sql.ts';
import { parseDocument } from './documents.ts';
import * as store from './contents.sql.ts';

export type ContentInput = {
  kind: ContentKind;
  document?: unknown;
  html: string | null;
  plain_text: string | null;
  /** For custom HTML: whether style sheets are inlined when the email is built. */
  inline_css?: boolean | undefined;
};
export type ContentRef = { content_id: number; revision: number };
export type ContentRevision = store.RevisionRow;

/**
 * Saves a new revision, of new content if `contentId` is null. @throws `document_invalid`,
 * `document_newer`, or `invalid` above the size limit
 */
export async function saveContent(
  tx: Tx,
  accountId: number,
  contentId: number | null,
  content: ContentInput,
  userId: number | null,
): Promise<ContentRef> {
  checkSize(content);
  const document = content.kind === 'editor' ? parseDocument(content.document) : null;
  return addRevision(tx, accountId, contentId, { ...content, document }, userId);
}

async function addRevision(
  tx: Tx,
  accountId: number,
  contentId: number | null,
  content: ContentInput,
  userId: number | null,
): Promise<ContentRef> {
  const at = clock.now();
  const id = contentId ?? (await store.insertContent(tx, accountId, at));
  const revision = await store.advanceRevision(tx, accountId, id, at);
  if (revision === undefined) throw notFound();
  await store.insertRevision(
    tx,
    accountId,
    id,
    revision,
    {
      kind: content.kind,
      document: content.document ?? null,
      html: removeNul(content.html),
      plain_text: removeNul(content.plain_text),
      inline_css: content.inline_css ?? false,
      created_by: userId,
    },
    at,
  );
  return { content_id: id, revision };
}

/** Returns one revision as saved. @throws `not_found` */
export async function readContent(
  db: Reader,
  accountId: number,
  ref: ContentRef,
): Promise<ContentRevision> {
  const row = await store.findRevision(db, accountId, ref.content_id, ref.revision);
  if (row === undefined) throw notFound();
  return row;
}

/** Returns true if this content equals the revision. @throws the errors of `saveContent` */
export async function isSaved(
  db: Reader,
  accountId: number,
  ref: ContentRef,
  content: ContentInput,
): Promise<boolean> {
  checkSize(content);
  const { kind, document, html, plain_text, inline_css } = await readContent(db, accountId, ref);
  if (kind !== content.kind) return false;
  const expected = {
    document: kind === 'editor' ? parseDocument(content.document) : null,
    html: removeNul(content.html),
    plain_text: removeNul(content.plain_text),
    inline_css: content.inline_css ?? false,
  };
  const asStored: unknown = JSON.parse(JSON.stringify(expected));
  return isDeepStrictEqual(asStored, { document, html, plain_text, inline_css });
}

/**
 * Creates content from a copy of this revision, regardless of its editor, and with the same
 * attachments.
 */
export async function copyContent(
  tx: Tx,
  accountId: number,
  ref: ContentRef,
  userId: number | null,
): Promise<ContentRef> {
  const row = await readContent(tx, accountId, ref);
  const kind = row.kind as ContentInput['kind'];
  const copy = await addRevision(tx, accountId, null, { ...row, kind }, userId);
  const between = { from: ref.content_id, to: copy.content_id, userId };
  await copyAttachments(tx, accountId, between, createTimes());
  return copy;
}

function checkSize(content: ContentInput): void {
  for (const part of ['html', 'plain_text'] as const) {
    if (Buffer.byteLength(content[part] ?? '') > MAX_CONTENT_BYTES) {
      throw invalid({ [part]: ['errors.content_too_large'] });
    }
  }
}

/** Removes NUL and replaces unpaired surrogates, which PostgreSQL text cannot contain. */
function removeNul(text: string | null): string | null {
  return text === null ? null : text.replaceAll('\0', '').toWellFormed();
}
