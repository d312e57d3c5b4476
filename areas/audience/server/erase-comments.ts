// Removes the addresses of erased subscribers from comments and pending notifications. Lives here
// because the areas that own them may not import subscribers.
import { dropNoticesNaming } from '#areas/accounts/server/index.ts';
import { rewriteComments } from '#areas/folders/server/index.ts';
import { describeNaming, eraseAddressesIn } from '#areas/segments/server/index.ts';
import type { Tx } from '#platform/server/database/database.ts';

/** Handles `subscriber.erased`. */
export async function eraseFromComments(
  tx: Tx,
  { accountId, addresses }: { accountId: number; addresses: readonly string[] },
): Promise<void> {
  if (addresses.length === 0) return;
  const removeAddresses = (text: string) => eraseAddressesIn(text, addresses);
  await rewriteComments(tx, accountId, describeNaming(addresses), removeAddresses);
}

/**
 * Handles `subscriber.erased`: deletes browser notifications that contain the addresses, because
 * they quote comments and titles.
 */
export async function dropNotices(
  tx: Tx,
  { accountId, addresses }: { accountId: number; addresses: readonly string[] },
): Promise<void> {
  if (addresses.length > 0) await dropNoticesNaming(tx, accountId, describeNaming(addresses));
}
