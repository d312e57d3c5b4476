// The time zone for reading a store's times without an offset.
import { readAccount } from '#areas/accounts/server/index.ts';
import type { Reader } from '#platform/server/database/database.ts';
import type { StoreRow } from './connections.sql.ts';

/** Returns the store's time zone if it is known, otherwise the account's. */
export async function readStoreZone(
  db: Reader,
  accountId: number,
  shop: Pick<StoreRow, 'settings'>,
): Promise<string> {
  if (shop.settings.zone) return shop.settings.zone;
  const { timezone } = await readAccount(db, accountId);
  return timezone ?? 'UTC';
}
