// The wall clock that a shop's times without a zone are meant by.
import { readAccount } from '#areas/accounts/server/index.ts';
import type { Reader } from '#platform/server/database.ts';
import type { StoreFacts } from './connections.sql.ts';

/** The shop's own zone where it said one, else its account's. */
export async function zoneOf(
  db: Reader,
  accountId: number,
  shop: Pick<StoreFacts, 'settings'>,
): Promise<string> {
  if (shop.settings.zone) return shop.settings.zone;
  const { timezone } = await readAccount(db, accountId);
  return timezone ?? 'UTC';
}
