// The image library of an account: uploads are reencoded and stored under an unguessable key;
// public URLs are permanent and cached for a year.
import { createHash, randomBytes } from 'node:crypto';
import { Readable } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import type { ListRequest } from '#platform/contract.ts';
import { encodeId } from '#platform/ids.ts';
import { clock } from '#platform/server/clock.ts';
import {
  type Db,
  inTransaction,
  type Reader,
  type Tx,
} from '#platform/server/database/database.ts';
import { AppError, notFound } from '#platform/server/errors.ts';
import { defineQuestion } from '#platform/server/events.ts';
import { files } from '#platform/server/files/files.ts';
import { buildListResponse } from '#platform/server/database/lists.ts';
import type { Actor } from '#platform/server/http/serve.ts';
import type { Image } from '../../contract.ts';
import { IMAGE_RETENTION_DAYS, MAX_IMAGES, type ImageFormat } from '../../shared.ts';
import { readBrand } from '../brand/brand.ts';
import * as store from './images.sql.ts';
import {
  type ImageCrop,
  cropImageFile,
  type ImageFileEdit,
  editImageFile,
  type ProcessedImage,
  readImageFile,
} from './image-file.ts';
import { withReservedSlot, runInTurn } from './image-queue.ts';
import { listSectionsWith } from '../library/saved-sections.sql.ts';
import { listTemplatesWith } from '../library/saved-templates.sql.ts';

export type ImageUse = { kind: string; id: string | null; title: string };
const DAY_MS = 86_400_000;

/** Resources that use this file, found by the key in its URLs. */
export const imageUsedBy = defineQuestion<{ accountId: number; fileKey: string }, ImageUse>(
  'image.usedBy',
);

/**
 * Adds an image, or returns the identical one in the library. `readFile` is called after a slot of
 * the account is reserved. @throws `too_many_requests` if all slots of the account are in use
 */
export function uploadImage(
  db: Db,
  caller: Actor,
  readFile: () => Promise<{ name: string; bytes: Buffer }>,
): Promise<Image> {
  return withReservedSlot(caller.accountId, async () => {
    const { name, bytes } = await readFile();
    const hash = createHash('sha256').update(bytes).digest();
    const existing = await store.findByHash(db, caller.accountId, hash);
    if (existing) return presentImage(existing);
    return storeImage(
      db,
      caller,
      name,
      hash,
      await runInTurn(caller.accountId, () => readImageFile(bytes)),
    );
  });
}

type ImageName = { name?: string | undefined };

export function cropImage(
  db: Db,
  caller: Actor,
  id: number,
  { name, ...cut }: ImageCrop & ImageName,
): Promise<Image> {
  return deriveImage(db, caller, id, {
    name,
    change: cut,
    apply: (bytes) => cropImageFile(bytes, cut),
  });
}

/** Saves the edited image as a new one; the original stays in the library. */
export function editImage(
  db: Db,
  caller: Actor,
  id: number,
  { name, rotate, brightness, radius }: ImageFileEdit & ImageName,
): Promise<Image> {
  const edit = { rotate, brightness, radius };
  return deriveImage(db, caller, id, {
    name,
    change: edit,
    apply: (bytes) => editImageFile(bytes, edit),
  });
}

/** Adds an edited copy of an image; the same edit of the same image is stored once. */
async function deriveImage(
  db: Db,
  caller: Actor,
  id: number,
  {
    name,
    change,
    apply,
  }: ImageName & { change: object; apply: (bytes: Buffer) => Promise<ProcessedImage> },
): Promise<Image> {
  const row = await findImage(db, caller.accountId, id);
  const hash = createHash('sha256').update(row.hash).update(JSON.stringify(change)).digest();
  const existing = await store.findByHash(db, caller.accountId, hash);
  if (existing) return presentImage(existing);
  return withReservedSlot(caller.accountId, async () => {
    const original = await files.get(buildFilePath(row));
    if (!original) throw new AppError('image_unreadable');
    const bytes = await buffer(original);
    const derivedImage = await runInTurn(caller.accountId, () => apply(bytes));
    return storeImage(db, caller, name ?? row.name, hash, derivedImage);
  });
}

/**
 * Stores the files before the row, so that no row refers to a missing file. Deletes them again
 * unless the row refers to them.
 */
async function storeImage(
  db: Db,
  { accountId, userId }: Actor,
  name: string,
  hash: Buffer,
  processed: ProcessedImage,
): Promise<Image> {
  if ((await store.countImages(db, accountId)) >= MAX_IMAGES) {
    throw new AppError('image_space_full', { values: { limit: MAX_IMAGES } });
  }
  const key = createKey();
  const { bytes, thumbnail, ...facts } = processed;
  const image = { account_id: accountId, file_key: key, format: facts.format };
  await files.put(buildFilePath(image), Readable.from([bytes]));
  await files.put(buildFilePath(image, '-s', 'webp'), Readable.from([thumbnail]));
  let isNamed = false;
  const write = async (tx: Tx) => {
    const insertedRow = await store.insertImage(tx, accountId, {
      ...facts,
      name,
      name_key: name.toLowerCase(),
      file_key: key,
      hash,
      bytes: bytes.length,
      created_by: userId,
      created_at: clock.now(),
    });
    // From here on the row may exist even if this call fails, because the response to the commit
    // can be lost. The files must then remain.
    if (insertedRow) isNamed = true;
    return insertedRow ?? (await store.findByHash(tx, accountId, hash));
  };
  try {
    const row = await inTransaction(db, write);
    if (!row) throw notFound();
    isNamed = row.file_key === key;
    return presentImage(row);
  } finally {
    if (!isNamed) {
      await files.remove(buildFilePath(image));
      await files.remove(buildFilePath(image, '-s', 'webp'));
    }
  }
}

export async function listImages(
  db: Reader,
  accountId: number,
  list: ListRequest<'created' | 'title' | 'modified' | 'size'>,
) {
  return buildListResponse(
    list,
    {
      rows: (slice) => store.listImages(db, accountId, list, slice),
      total: () => store.countImages(db, accountId, list.search),
    },
    presentImage,
  );
}

export async function renameImage(
  tx: Tx,
  accountId: number,
  id: number,
  name: string,
): Promise<Image> {
  const row = await store.renameImage(tx, accountId, id, name, clock.now());
  if (!row) throw notFound();
  return presentImage(row);
}

export async function listImageUses(tx: Tx, accountId: number, id: number): Promise<ImageUse[]> {
  const { file_key: fileKey } = await findImage(tx, accountId, id);
  const uses = await imageUsedBy.collect(tx, { accountId, fileKey });
  const sections = await listSectionsWith(tx, accountId, fileKey);
  for (const { id: section, title } of sections) {
    uses.push({ kind: 'section', id: encodeId('section', section), title });
  }
  for (const { id: template, title } of await listTemplatesWith(tx, accountId, fileKey)) {
    uses.push({ kind: 'template', id: encodeId('template', template), title });
  }
  const { logo } = await readBrand(tx, accountId);
  if (logo?.src.includes(fileKey)) uses.push({ kind: 'brand', id: null, title: '' });
  return uses;
}

/**
 * Removes an image from the library. Its files are retained while it is in use (purge-images.ts).
 * @throws image_in_use with `uses`, unless forced
 */
export async function deleteImage(
  tx: Tx,
  accountId: number,
  id: number,
  isForced: boolean,
): Promise<void> {
  const uses = await listImageUses(tx, accountId, id);
  if (uses.length > 0 && !isForced) throw new AppError('image_in_use', { extra: { uses } });
  const at = clock.now();
  await store.removeImage(tx, accountId, id, { at, purgeAt: computePurgeTime(at) });
}

/** Returns the time of the next check whether the files of a removed image can be deleted. */
export function computePurgeTime(now: Date): Date {
  return new Date(now.getTime() + IMAGE_RETENTION_DAYS * DAY_MS);
}

const ADDRESS = /\/i\/([A-Za-z0-9]+)\/([a-z0-9]{32})(?:-play)?\.(?:png|jpg|gif|webp)/g;

/**
 * Finds images of the account that a text refers to but that are no longer in the library. Returns
 * their URLs without extensions.
 */
export async function findMissingImages(
  db: Reader,
  accountId: number,
  text: string,
): Promise<string[]> {
  const encodedAccount = encodeId('account', accountId);
  const matches = [...text.matchAll(ADDRESS)].filter(([, account]) => account === encodedAccount);
  const keys = [...new Set(matches.map(([, , key]) => key as string))];
  const missing = new Set(await store.filterMissing(db, accountId, keys));
  return [...missing].map((key) => `/i/${encodedAccount}/${key}`);
}

const FILE = /\/i\/([A-Za-z0-9]+)\/([a-z0-9]{32})/g;

/**
 * Copies the images of this account that a text refers to into the library of another account.
 * Returns the text with the new URLs; images that cannot be copied keep their URL.
 */
export async function copyImages(
  db: Db,
  accountId: number,
  target: Actor,
  text: string,
): Promise<string> {
  const encodedAccount = encodeId('account', accountId);
  const keys = [...text.matchAll(FILE)].flatMap(([, account, key]) =>
    account === encodedAccount && key !== undefined ? [key] : [],
  );
  const copies = new Map<string, string>();
  for (const row of await store.listImagesByFiles(db, accountId, [...new Set(keys)])) {
    const copy = await copyImage(db, row, target);
    if (copy) copies.set(row.file_key, copy.src.replace(/\.[a-z]+$/, ''));
  }
  return text.replace(FILE, (address: string, account: string, key: string) =>
    account === encodedAccount ? (copies.get(key) ?? address) : address,
  );
}

/**
 * Copies one image to another account. Returns undefined if a file is missing, or if the other
 * account has the image in another format.
 */
async function copyImage(db: Db, row: store.ImageRow, target: Actor): Promise<Image | undefined> {
  const existing = await store.findByHash(db, target.accountId, row.hash);
  // The text contains the extension of the URL, so the copy must have the same format.
  if (existing) return existing.format === row.format ? presentImage(existing) : undefined;
  const original = await files.get(buildFilePath(row));
  const thumbnail = await files.get(buildFilePath(row, '-s', 'webp'));
  if (!original || !thumbnail) return undefined;
  const { is_animated, width, height } = row;
  const info = { format: row.format as ImageFormat, is_animated, width, height };
  const image = { bytes: await buffer(original), thumbnail: await buffer(thumbnail), ...info };
  return storeImage(db, target, row.name, row.hash, image);
}

async function findImage(db: Reader, accountId: number, id: number): Promise<store.ImageRow> {
  const row = await store.findImage(db, accountId, id);
  if (!row) throw notFound();
  return row;
}

function createKey(): string {
  return BigInt(`0x${randomBytes(24).toString('hex')}`)
    .toString(36)
    .padStart(38, '0')
    .slice(-32);
}

type ImageFile = { account_id: number; file_key: string; format: string };

/** Returns the storage key of one of the image's files. */
export function buildFilePath(image: ImageFile, variant = '', format = image.format): string {
  return `images/${image.account_id}/${image.file_key}${variant}.${format}`;
}

function presentImage(row: store.ImageRow): Image {
  const address = `/i/${encodeId('account', row.account_id)}/${row.file_key}`;
  return {
    id: encodeId('image', row.id),
    name: row.name,
    src: `${address}.${row.format}`,
    thumbnail_src: `${address}-s.webp`,
    format: row.format as ImageFormat,
    is_animated: row.is_animated,
    width: row.width,
    height: row.height,
    bytes: row.bytes,
    created: row.created_at.toISOString(),
    modified: row.modified_at.toISOString(),
  };
}
