// Closes a connection: keys are deleted, and the store's data remains for reports. The secret of a
// platform with privacy requests is retained until these can no longer arrive.
import { z } from 'zod';
import { clock } from '#platform/server/clock.ts';
import { inTransaction, type Tx } from '#platform/server/database/database.ts';
import { addJob, defineJob } from '#platform/server/jobs/jobs.ts';
import { getAdapter } from './adapter.ts';
import { changeStore, findStore, type StoreRow } from './connections.sql.ts';
import { getPlatformHost } from './keys.ts';

const SECRET_RETENTION_MS = 90 * 86_400_000;

export async function closeStore(tx: Tx, accountId: number, shop: StoreRow): Promise<void> {
  const hasPrivacy = Boolean(shop.hook_secret && getAdapter(shop.type)?.privacyTopics);
  const now = clock.now();
  await changeStore(
    tx,
    accountId,
    shop.id,
    {
      state: 'disconnected',
      due_at: null,
      credentials: null,
      plugin_token: null,
      ...(hasPrivacy
        ? { settings: { ...shop.settings, platform_host: getPlatformHost(shop) } }
        : { hook_secret: null }),
    },
    now,
  );
  if (hasPrivacy)
    await addJob(
      tx,
      deleteSecretJob,
      { accountId, storeId: shop.id },
      {
        key: `stores.delete-secret:${accountId}:${shop.id}`,
        runAt: new Date(now.getTime() + SECRET_RETENTION_MS),
      },
    );
}

/** Deletes the secret, unless the store was connected again. */
export const deleteSecretJob = defineJob({
  name: 'stores.delete-secret',
  afterKills: 'next_day',
  payload: z.object({ accountId: z.number(), storeId: z.number() }),
  run: ({ accountId, storeId }, { db }) =>
    inTransaction(db, async (tx) => {
      const shop = await findStore(tx, accountId, storeId);
      if (shop?.state !== 'disconnected') return;
      await changeStore(tx, accountId, storeId, { hook_secret: null }, clock.now());
    }),
});
