// Queries for folders and labels.
import { type Selectable, sql } from 'kysely';
import type { DB } from '#platform/server/database/database.generated.ts';
import type { Reader, Tx } from '#platform/server/database/database.ts';
import type { ItemKind } from '../shared.ts';
import { createTextRewriter } from '#platform/server/erasure/texts.sql.ts';

const UNIQUE = { toKey: (title: string) => title.toLowerCase(), isUnique: true };
/** Remove the addresses of erased subscribers from the titles of folders and of labels. */
export const rewriteFolders = createTextRewriter('folders', UNIQUE);
export const rewriteLabels = createTextRewriter('labels', UNIQUE);

export type FolderRow = Selectable<DB['folders']>;
export type LabelRow = Selectable<DB['labels']>;
export type LabelChanges = Pick<LabelRow, 'title' | 'title_key' | 'color'>;

export async function listFolders(
  db: Reader,
  accountId: number,
  kind: ItemKind,
): Promise<FolderRow[]> {
  const { rows } = await sql<FolderRow>`
    select * from folders where account_id = ${accountId} and kind = ${kind}
    order by title collate "und-x-icu", id`.execute(db);
  return rows;
}

/** Locks the folder against deletion until the transaction ends. */
export function retainFolder(
  tx: Tx,
  accountId: number,
  kind: ItemKind,
  id: number,
): Promise<FolderRow | undefined> {
  return tx
    .selectFrom('folders')
    .selectAll()
    .where('account_id', '=', accountId)
    .where('kind', '=', kind)
    .where('id', '=', id)
    .forKeyShare()
    .executeTakeFirst();
}

export function lockFolder(tx: Tx, accountId: number, id: number): Promise<FolderRow | undefined> {
  return tx
    .selectFrom('folders')
    .selectAll()
    .where('account_id', '=', accountId)
    .where('id', '=', id)
    .forUpdate()
    .executeTakeFirst();
}

/** Inserts a folder; undefined if the title is taken. */
export function insertFolder(
  tx: Tx,
  accountId: number,
  folder: Pick<FolderRow, 'kind' | 'title' | 'title_key'>,
  at: Date,
): Promise<FolderRow | undefined> {
  return tx
    .insertInto('folders')
    .values({ account_id: accountId, ...folder, created_at: at, modified_at: at })
    .onConflict((conflict) => conflict.columns(['account_id', 'kind', 'title_key']).doNothing())
    .returningAll()
    .executeTakeFirst();
}

export function updateFolder(
  tx: Tx,
  accountId: number,
  id: number,
  folder: Pick<FolderRow, 'title' | 'title_key'>,
  at: Date,
): Promise<FolderRow> {
  return tx
    .updateTable('folders')
    .set({ ...folder, modified_at: at })
    .where('account_id', '=', accountId)
    .where('id', '=', id)
    .returningAll()
    .executeTakeFirstOrThrow();
}

export async function deleteFolder(tx: Tx, accountId: number, id: number): Promise<void> {
  await tx.deleteFrom('folders').where('account_id', '=', accountId).where('id', '=', id).execute();
}

export async function listLabels(db: Reader, accountId: number): Promise<LabelRow[]> {
  const { rows } = await sql<LabelRow>`
    select * from labels where account_id = ${accountId}
    order by title collate "und-x-icu", id`.execute(db);
  return rows;
}

/** Locks the label against deletion until the transaction ends. */
export function retainLabel(tx: Tx, accountId: number, id: number): Promise<LabelRow | undefined> {
  return tx
    .selectFrom('labels')
    .selectAll()
    .where('account_id', '=', accountId)
    .where('id', '=', id)
    .forKeyShare()
    .executeTakeFirst();
}

/** Inserts a label; undefined if the title is taken. */
export function insertLabel(
  tx: Tx,
  accountId: number,
  label: LabelChanges,
  modifiedAt: Date,
): Promise<LabelRow | undefined> {
  return tx
    .insertInto('labels')
    .values({ account_id: accountId, ...label, created_at: modifiedAt, modified_at: modifiedAt })
    .onConflict((conflict) => conflict.columns(['account_id', 'title_key']).doNothing())
    .returningAll()
    .executeTakeFirst();
}

export function updateLabel(
  tx: Tx,
  accountId: number,
  id: number,
  label: LabelChanges,
  modifiedAt: Date,
): Promise<LabelRow | undefined> {
  return tx
    .updateTable('labels')
    .set({ ...label, modified_at: modifiedAt })
    .where('account_id', '=', accountId)
    .where('id', '=', id)
    .returningAll()
    .executeTakeFirst();
}

export async function deleteLabel(tx: Tx, accountId: number, id: number): Promise<boolean> {
  const { numDeletedRows } = await tx
    .deleteFrom('labels')
    .where('account_id', '=', accountId)
    .where('id', '=', id)
    .executeTakeFirst();
  return numDeletedRows > 0n;
}
