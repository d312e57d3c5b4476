// Deletes the files of images that were removed from the library a month ago. Files to which an
// email, a template, a section, a form or the brand still refers are checked again a month later.
import { forEachAccount } from '#areas/accounts/server/index.ts';
import { clock } from '#platform/server/clock.ts';
import { type Db, inTransaction, type Tx } from '#platform/server/database/database.ts';
import { defineQuestion } from '#platform/server/events.ts';
import { files } from '#platform/server/files/files.ts';
import type { Poller } from '#platform/server/jobs/pollers.ts';
import { readBrand } from '../brand/brand.ts';
import { listKeysInContents } from '../contents.sql.ts';
import { buildFilePath, imageUsedBy, computePurgeTime } from './images.ts';
import * as store from './images.sql.ts';
import { listSectionsWith } from '../library/saved-sections.sql.ts';
import { listTemplatesWith } from '../library/saved-templates.sql.ts';

/** Question: which of these files are used in emails that were sent or are being sent. */
export const imagesSent = defineQuestion<
  { accountId: number; fileKeys: readonly string[] },
  string
>('images.sent');

const BATCH_IMAGES = 50;

export const imagesPoller: Poller = {
  name: 'images.purge',
  intervalMs: 3_600_000,
  run: (db, signal) => forEachAccount(db, signal, (accountId) => purgeImages(db, accountId)),
};

export async function purgeImages(db: Db, accountId: number): Promise<void> {
  for (;;) {
    const now = clock.now();
    const dueImages = await store.listImagesToPurge(db, accountId, now, BATCH_IMAGES);
    if (dueImages.length === 0) return;
    const keys = dueImages.map((image) => image.file_key);
    const usedKeys = await inTransaction(db, (tx) => listUsedKeys(tx, accountId, keys));
    for (const image of dueImages) {
      const isNamed = usedKeys.has(image.file_key);
      // Files are deleted before the row because they could not be found without the row.
      if (!isNamed) await removeFiles(image);
      await inTransaction(db, (tx) =>
        isNamed
          ? store.purgeLater(tx, accountId, image.id, computePurgeTime(now))
          : store.deleteImageRow(tx, accountId, image.id),
      );
    }
  }
}

async function listUsedKeys(tx: Tx, accountId: number, fileKeys: readonly string[]) {
  const usedKeys = new Set([
    ...(await listKeysInContents(tx, accountId, fileKeys)),
    ...(await imagesSent.collect(tx, { accountId, fileKeys })),
  ]);
  const { logo } = await readBrand(tx, accountId);
  for (const fileKey of fileKeys) {
    if (usedKeys.has(fileKey)) continue;
    const isUsed =
      logo?.src.includes(fileKey) ||
      (await listSectionsWith(tx, accountId, fileKey)).length > 0 ||
      (await listTemplatesWith(tx, accountId, fileKey)).length > 0 ||
      (await imageUsedBy.collect(tx, { accountId, fileKey })).length > 0;
    if (isUsed) usedKeys.add(fileKey);
  }
  return usedKeys;
}

async function removeFiles(image: store.ImageRow): Promise<void> {
  await files.remove(buildFilePath(image, '-s', 'webp'));
  await files.remove(buildFilePath(image, '-play', 'jpg'));
  await files.remove(buildFilePath(image));
}
