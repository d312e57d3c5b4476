// Queries for attachments.
import { type Selectable, sql } from 'kysely';
import { accountTable } from '#platform/server/database/account-table.sql.ts';
import type { DB } from '#platform/server/database/database.generated.ts';
import type { Reader, Tx } from '#platform/server/database/database.ts';

export type AttachmentRow = Selectable<DB['content_attachments']>;
export type NewAttachment = Pick<
  AttachmentRow,
  'content_id' | 'name' | 'type' | 'bytes' | 'hash' | 'file_key' | 'created_by'
>;

/** Attachments in the order of upload. */
export function listAttachments(
  db: Reader,
  accountId: number,
  contentId: number,
): Promise<AttachmentRow[]> {
  return db
    .selectFrom('content_attachments')
    .selectAll()
    .where('account_id', '=', accountId)
    .where('content_id', '=', contentId)
    .where('removed_at', 'is', null)
    .orderBy('id')
    .execute();
}

export function insertAttachment(
  tx: Tx,
  accountId: number,
  attachment: NewAttachment,
  { at, checkAt }: { at: Date; checkAt: Date },
): Promise<AttachmentRow> {
  return tx
    .insertInto('content_attachments')
    .values({ account_id: accountId, ...attachment, created_at: at, check_at: checkAt })
    .returningAll()
    .executeTakeFirstOrThrow();
}

/**
 * Attaches the files of one content to another. Without the join to a row of values, a sharded
 * database would read the attachments of all accounts.
 */
export async function copyAttachments(
  tx: Tx,
  accountId: number,
  copy: { from: number; to: number; userId: number | null },
  { at, checkAt }: { at: Date; checkAt: Date },
): Promise<void> {
  await sql`
    insert into content_attachments
      (account_id, content_id, name, type, bytes, hash, file_key, created_by, created_at, check_at)
    select a.account_id, v.content_id, a.name, a.type, a.bytes, a.hash, a.file_key, v.created_by, v.at,
      v.check_at
    from content_attachments a
    cross join (select ${copy.to}::bigint as content_id, ${copy.userId}::bigint as created_by,
      ${at}::timestamptz as at, ${checkAt}::timestamptz as check_at) v
    where a.account_id = ${accountId} and a.content_id = ${copy.from} and a.removed_at is null
    order by a.id`.execute(tx);
}

/** Returns false if the attachment does not exist. */
export async function removeAttachment(
  tx: Tx,
  accountId: number,
  attachment: { contentId: number; id: number },
  { at, checkAt }: { at: Date; checkAt: Date },
): Promise<boolean> {
  const { numUpdatedRows } = await tx
    .updateTable('content_attachments')
    .set({ removed_at: at, check_at: checkAt })
    .where('account_id', '=', accountId)
    .where('content_id', '=', attachment.contentId)
    .where('id', '=', attachment.id)
    .where('removed_at', 'is', null)
    .executeTakeFirst();
  return numUpdatedRows > 0;
}

export function listDueForCheck(
  db: Reader,
  accountId: number,
  before: Date,
  limit: number,
): Promise<AttachmentRow[]> {
  return db
    .selectFrom('content_attachments')
    .selectAll()
    .where('account_id', '=', accountId)
    .where('check_at', '<=', before)
    .orderBy('check_at')
    .limit(limit)
    .execute();
}

export async function postponeCheck(
  tx: Tx,
  accountId: number,
  id: number,
  at: Date,
): Promise<void> {
  await tx
    .updateTable('content_attachments')
    .set({ check_at: at })
    .where('account_id', '=', accountId)
    .where('id', '=', id)
    .execute();
}

export const { delete: deleteAttachmentRow } = accountTable('content_attachments', 'id');

/** Returns whether another attachment, even a removed one, has the same file. */
export async function isFileUsedElsewhere(
  db: Reader,
  accountId: number,
  { id, file_key }: { id: number; file_key: string },
): Promise<boolean> {
  const row = await db
    .selectFrom('content_attachments')
    .select('id')
    .where('account_id', '=', accountId)
    .where('file_key', '=', file_key)
    .where('id', '<>', id)
    .limit(1)
    .executeTakeFirst();
  return row !== undefined;
}
