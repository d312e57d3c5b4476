// Queries for the image library. An image that was removed from the library keeps its row until its
// files are deleted, because emails may still show them.
import { toContainsPattern } from '#platform/server/database/like.ts';
import type { Selectable } from 'kysely';
import type { DB } from '#platform/server/database/database.generated.ts';
import type { Reader, Tx } from '#platform/server/database/database.ts';
import { sortedPage } from '../library/sorted-page.sql.ts';
import { createTextRewriter } from '#platform/server/erasure/texts.sql.ts';

/** Removes the addresses of erased subscribers from names of images. */
export const rewriteImages = createTextRewriter('images', {
  columns: ['name'],
  toKey: (name) => name.toLowerCase(),
});

export type ImageRow = Selectable<DB['images']>;
export type NewImage = Omit<
  ImageRow,
  'id' | 'account_id' | 'modified_at' | 'deleted_at' | 'purge_at'
>;

type ImageListOptions = {
  order: 'created' | 'title' | 'modified' | 'size';
  direction: 'asc' | 'desc';
  search: string | undefined;
};

const COLUMNS = {
  created: 'created_at',
  title: 'name_key',
  modified: 'modified_at',
  size: 'bytes',
} as const;

function filterImages(db: Reader, accountId: number, search: string | undefined) {
  const query = db
    .selectFrom('images')
    .where('account_id', '=', accountId)
    .where('deleted_at', 'is', null);
  return search ? query.where('name_key', 'like', toContainsPattern(search.toLowerCase())) : query;
}

export function listImages(
  db: Reader,
  accountId: number,
  list: ImageListOptions,
  slice: { limit: number; offset: number },
): Promise<ImageRow[]> {
  const { order, direction, search } = list;
  const sorting = { column: COLUMNS[order], isText: order === 'title', direction };
  return sortedPage(filterImages(db, accountId, search).selectAll(), sorting, slice);
}

export async function countImages(db: Reader, accountId: number, search?: string): Promise<number> {
  const row = await filterImages(db, accountId, search)
    .select((e) => e.fn.countAll<number>().as('total'))
    .executeTakeFirstOrThrow();
  return row.total;
}

export function findImage(
  db: Reader,
  accountId: number,
  id: number,
): Promise<ImageRow | undefined> {
  return filterImages(db, accountId, undefined).selectAll().where('id', '=', id).executeTakeFirst();
}

export function findByHash(
  db: Reader,
  accountId: number,
  hash: Buffer,
): Promise<ImageRow | undefined> {
  return filterImages(db, accountId, undefined)
    .selectAll()
    .where('hash', '=', hash)
    .executeTakeFirst();
}

/**
 * Returns undefined if the library already has an identical image, for example because a concurrent
 * request uploaded it.
 */
export function insertImage(
  tx: Tx,
  accountId: number,
  image: NewImage,
): Promise<ImageRow | undefined> {
  return tx
    .insertInto('images')
    .values({ ...image, account_id: accountId, modified_at: image.created_at })
    .onConflict((conflict) =>
      conflict.columns(['account_id', 'hash']).where('deleted_at', 'is', null).doNothing(),
    )
    .returningAll()
    .executeTakeFirst();
}

export function renameImage(
  tx: Tx,
  accountId: number,
  id: number,
  name: string,
  at: Date,
): Promise<ImageRow | undefined> {
  return tx
    .updateTable('images')
    .set({ name, name_key: name.toLowerCase(), modified_at: at })
    .where('account_id', '=', accountId)
    .where('id', '=', id)
    .where('deleted_at', 'is', null)
    .returningAll()
    .executeTakeFirst();
}

export async function removeImage(
  tx: Tx,
  accountId: number,
  id: number,
  { at, purgeAt }: { at: Date; purgeAt: Date },
): Promise<void> {
  await tx
    .updateTable('images')
    .set({ deleted_at: at, purge_at: purgeAt })
    .where('account_id', '=', accountId)
    .where('id', '=', id)
    .execute();
}

export function listImagesToPurge(
  db: Reader,
  accountId: number,
  before: Date,
  limit: number,
): Promise<ImageRow[]> {
  return db
    .selectFrom('images')
    .selectAll()
    .where('account_id', '=', accountId)
    .where('purge_at', '<=', before)
    .orderBy('purge_at')
    .limit(limit)
    .execute();
}

export async function purgeLater(tx: Tx, accountId: number, id: number, at: Date): Promise<void> {
  await tx
    .updateTable('images')
    .set({ purge_at: at })
    .where('account_id', '=', accountId)
    .where('id', '=', id)
    .execute();
}

export async function deleteImageRow(tx: Tx, accountId: number, id: number): Promise<void> {
  await tx
    .deleteFrom('images')
    .where('account_id', '=', accountId)
    .where('id', '=', id)
    .where('deleted_at', 'is not', null)
    .execute();
}

/** Returns the images of these files, including removed ones. */
export function listImagesByFiles(
  db: Reader,
  accountId: number,
  fileKeys: readonly string[],
): Promise<ImageRow[]> {
  if (fileKeys.length === 0) return Promise.resolve([]);
  return db
    .selectFrom('images')
    .selectAll()
    .where('account_id', '=', accountId)
    .where('file_key', 'in', [...fileKeys])
    .execute();
}

/** Returns the given files that were removed from the library or were never in it. */
export async function filterMissing(
  db: Reader,
  accountId: number,
  fileKeys: readonly string[],
): Promise<string[]> {
  if (fileKeys.length === 0) return [];
  const rows = await filterImages(db, accountId, undefined)
    .select('file_key')
    .where('file_key', 'in', [...fileKeys])
    .execute();
  const inLibrary = new Set(rows.map((row) => row.file_key));
  return fileKeys.filter((key) => !inLibrary.has(key));
}
