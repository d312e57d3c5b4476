// Reads the time zone in which a store's times are interpreted if they contain no UTC offset.
import { readAccount } from '#areas/accounts/server/index.ts';
import type { Reader } from '#platform/server/database/database.ts';
import type { StoreRow } from './connections.sql.ts';

/** Returns the first known of: the store's time zone, the account's time zone, UTC. */
export async function readStoreZone(
  db: Reader,
  accountId: number,
  shop: Pick<StoreRow, 'settings'>,
): Promise<string> {
  if (shop.settings.zone) return shop.settings.zone;
  const { timezone } = await readAccount(db, accountId);
  return timezone ?? 'UTC';
}
