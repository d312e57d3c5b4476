// Queries for the folder, the labels and the archive state of items, and for the comments on items.
// The items themselves are rows of other areas.
import { type RawBuilder, type Selectable, type SqlBool, sql } from 'kysely';
import type { DB } from '#platform/server/database/database.generated.ts';
import type { Reader, Tx } from '#platform/server/database/database.ts';
import {
  mentionsAddress,
  type SubscriberAddresses,
} from '#platform/server/database/address-search.sql.ts';
import type { CommentedKind, ItemKind } from '../shared.ts';

export type NoteRow = Selectable<DB['item_notes']>;

/** Filters of a list by folder, label and archive. */
export type PlaceFilter = {
  folder?: number | undefined;
  label?: number | undefined;
  isArchived?: boolean | undefined;
};

/**
 * Returns the conditions of a list's statement, one for each filter.
 * @param item qualified column with the id of the item: `forms.id`
 */
export function placeConditions(
  kind: ItemKind,
  accountId: number,
  item: string,
  { folder, label, isArchived }: PlaceFilter,
): RawBuilder<SqlBool>[] {
  const placeQuery = sql`select 1 from item_places p
    where p.account_id = ${accountId} and p.kind = ${kind} and p.item_id = ${sql.ref(item)}`;
  const conditions: RawBuilder<SqlBool>[] = [];
  if (folder !== undefined) {
    conditions.push(sql<SqlBool>`exists (${placeQuery} and p.folder_id = ${folder})`);
  }
  if (isArchived !== undefined) {
    const not = isArchived ? sql`` : sql`not`;
    conditions.push(sql<SqlBool>`${not} exists (${placeQuery} and p.archived_at is not null)`);
  }
  if (label !== undefined) {
    conditions.push(sql<SqlBool>`exists (select 1 from item_labels l
      where l.account_id = ${accountId} and l.kind = ${kind}
        and l.item_id = ${sql.ref(item)} and l.label_id = ${label})`);
  }
  return conditions;
}

export type ItemPlaceRow = {
  item_id: number;
  folder_id: number | null;
  title: string | null;
  archived_at: Date | null;
};

export async function findPlaces(
  db: Reader,
  accountId: number,
  kind: ItemKind,
  ids: readonly number[],
): Promise<ItemPlaceRow[]> {
  const { rows } = await sql<ItemPlaceRow>`
    select p.item_id, f.id as folder_id, f.title, p.archived_at
    from item_places p
    left join folders f on f.account_id = ${accountId} and f.id = p.folder_id
    where p.account_id = ${accountId} and p.kind = ${kind}
      and p.item_id = any(${[...ids]}::bigint[])`.execute(db);
  return rows;
}

export type ItemLabelRow = { item_id: number; id: number; title: string; color: string };

export async function listItemLabels(
  db: Reader,
  accountId: number,
  kind: ItemKind,
  ids: readonly number[],
): Promise<ItemLabelRow[]> {
  const { rows } = await sql<ItemLabelRow>`
    select i.item_id, l.id, l.title, l.color
    from item_labels i
    join labels l on l.account_id = ${accountId} and l.id = i.label_id
    where i.account_id = ${accountId} and i.kind = ${kind}
      and i.item_id = any(${[...ids]}::bigint[])
    order by l.title collate "und-x-icu", l.id`.execute(db);
  return rows;
}

/** Archives items at this time; null removes them from the archive. */
export async function archiveItems(
  tx: Tx,
  accountId: number,
  kind: ItemKind,
  ids: readonly number[],
  archivedAt: Date | null,
): Promise<void> {
  await sql`
    insert into item_places (account_id, kind, item_id, archived_at)
    select ${accountId}::bigint, ${kind}::text, i.id, ${archivedAt}::timestamptz
    from unnest(${[...ids]}::bigint[]) i (id) order by i.id
    on conflict (account_id, kind, item_id) do update set archived_at = excluded.archived_at
  `.execute(tx);
}

/** Moves items into a folder; null removes them from their folders. */
export async function moveItems(
  tx: Tx,
  accountId: number,
  kind: ItemKind,
  ids: readonly number[],
  folderId: number | null,
): Promise<void> {
  await sql`
    insert into item_places (account_id, kind, item_id, folder_id)
    select ${accountId}::bigint, ${kind}::text, i.id, ${folderId}::bigint
    from unnest(${[...ids]}::bigint[]) i (id) order by i.id
    on conflict (account_id, kind, item_id) do update set folder_id = excluded.folder_id
  `.execute(tx);
}

export async function emptyFolder(tx: Tx, accountId: number, folderId: number): Promise<void> {
  await sql`
    update item_places set folder_id = null
    where account_id = ${accountId} and folder_id = ${folderId}`.execute(tx);
}

export async function addLabel(
  tx: Tx,
  accountId: number,
  kind: ItemKind,
  ids: readonly number[],
  labelId: number,
): Promise<void> {
  await sql`
    insert into item_labels (account_id, kind, item_id, label_id)
    select ${accountId}::bigint, ${kind}::text, i.id, ${labelId}::bigint
    from unnest(${[...ids]}::bigint[]) i (id) order by i.id
    on conflict do nothing`.execute(tx);
}

export async function removeLabel(
  tx: Tx,
  accountId: number,
  kind: ItemKind,
  ids: readonly number[],
  labelId: number,
): Promise<void> {
  await sql`
    delete from item_labels
    where account_id = ${accountId} and kind = ${kind} and label_id = ${labelId}
      and item_id = any(${[...ids]}::bigint[])`.execute(tx);
}

/** Assigns the folder and the labels of the original to each copy. Copies are never archived. */
export async function copyPlaces(
  tx: Tx,
  accountId: number,
  kind: ItemKind,
  originals: readonly number[],
  copies: readonly number[],
): Promise<void> {
  const pairs = sql`unnest(${[...originals]}::bigint[], ${[...copies]}::bigint[]) c (original, copy)`;
  await sql`
    insert into item_places (account_id, kind, item_id, folder_id)
    select ${accountId}::bigint, ${kind}::text, c.copy, p.folder_id
    from ${pairs}
    join item_places p on p.account_id = ${accountId} and p.kind = ${kind}
      and p.item_id = c.original and p.folder_id is not null
    on conflict do nothing`.execute(tx);
  await sql`
    insert into item_labels (account_id, kind, item_id, label_id)
    select ${accountId}::bigint, ${kind}::text, c.copy, l.label_id
    from ${pairs}
    join item_labels l on l.account_id = ${accountId} and l.kind = ${kind}
      and l.item_id = c.original
    on conflict do nothing`.execute(tx);
}

/** Deletes the comments on a permanently deleted item. */
export async function deleteComments(
  tx: Tx,
  accountId: number,
  kind: CommentedKind,
  id: number,
): Promise<void> {
  await sql`
    delete from item_notes
    where account_id = ${accountId} and kind = ${kind} and item_id = ${id}`.execute(tx);
}

/** Deletes the folder, labels, archive state and comments of a permanently deleted item. */
export async function deleteItem(
  tx: Tx,
  accountId: number,
  kind: ItemKind,
  id: number,
): Promise<void> {
  await sql`
    delete from item_places
    where account_id = ${accountId} and kind = ${kind} and item_id = ${id}`.execute(tx);
  await sql`
    delete from item_labels
    where account_id = ${accountId} and kind = ${kind} and item_id = ${id}`.execute(tx);
  await deleteComments(tx, accountId, kind, id);
}

export async function listNotes(
  db: Reader,
  accountId: number,
  kind: CommentedKind,
  itemId: number,
): Promise<NoteRow[]> {
  const { rows } = await sql<NoteRow>`
    select * from item_notes
    where account_id = ${accountId} and kind = ${kind} and item_id = ${itemId}
    order by id desc`.execute(db);
  return rows;
}

export function insertNote(
  tx: Tx,
  accountId: number,
  note: Pick<
    NoteRow,
    'kind' | 'item_id' | 'text' | 'user_id' | 'author' | 'created_at' | 'block_id' | 'mentions'
  >,
): Promise<NoteRow> {
  return tx
    .insertInto('item_notes')
    .values({ account_id: accountId, ...note })
    .returningAll()
    .executeTakeFirstOrThrow();
}

/** Locks and returns the account's comments with an address in their text. */
export async function lockNotesNaming(
  tx: Tx,
  accountId: number,
  naming: SubscriberAddresses,
): Promise<NoteRow[]> {
  const { rows } = await sql<NoteRow>`
    select * from item_notes
    where account_id = ${accountId} and ${mentionsAddress(sql`text`, naming)}
    order by kind, item_id, id for update`.execute(tx);
  return rows;
}

export async function updateNoteText(tx: Tx, note: NoteRow, text: string): Promise<void> {
  await tx
    .updateTable('item_notes')
    .set({ text })
    .where('account_id', '=', note.account_id)
    .where('kind', '=', note.kind)
    .where('item_id', '=', note.item_id)
    .where('id', '=', note.id)
    .execute();
}

export function resolveNote(
  tx: Tx,
  accountId: number,
  kind: CommentedKind,
  itemId: number,
  id: number,
  resolution: Pick<NoteRow, 'resolved_at' | 'resolved_by'>,
): Promise<NoteRow | undefined> {
  return tx
    .updateTable('item_notes')
    .set(resolution)
    .where('account_id', '=', accountId)
    .where('kind', '=', kind)
    .where('item_id', '=', itemId)
    .where('id', '=', id)
    .returningAll()
    .executeTakeFirst();
}

export async function deleteNote(
  tx: Tx,
  accountId: number,
  kind: CommentedKind,
  itemId: number,
  id: number,
): Promise<boolean> {
  const { numDeletedRows } = await tx
    .deleteFrom('item_notes')
    .where('account_id', '=', accountId)
    .where('kind', '=', kind)
    .where('item_id', '=', itemId)
    .where('id', '=', id)
    .executeTakeFirst();
  return numDeletedRows > 0n;
}
