// The time zone in which a store's times without an offset are read.
import { readAccount } from '#areas/accounts/server/index.ts';
import type { Reader } from '#platform/server/database/database.ts';
import type { StoreRow } from './connections.sql.ts';

/** The time zone of the store if it is known, otherwise that of the account. */
export async function readStoreZone(
  db: Reader,
  accountId: number,
  shop: Pick<StoreRow, 'settings'>,
): Promise<string> {
  if (shop.settings.zone) return shop.settings.zone;
  const { timezone } = await readAccount(db, accountId);
  return timezone ?? 'UTC';
}
