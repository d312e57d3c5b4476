// Removes erased subscribers' addresses from titles of objects.
import type { Tx } from '#platform/server/database/database.ts';
import type { RewriteTitles } from '#platform/server/database/titles.sql.ts';
import { describeNaming, eraseAddressesIn } from './erase-people.ts';

/** A handler of `subscriber.erased` for the titles of these tables. */
export const eraseFromTitles =
  (...tables: readonly RewriteTitles[]) =>
  async (
    tx: Tx,
    { accountId, addresses }: { accountId: number; addresses: readonly string[] },
  ): Promise<void> => {
    // `addresses` omits addresses that other subscribers have now, so it may be empty.
    if (addresses.length === 0) return;
    for (const rewrite of tables)
      await rewrite(tx, accountId, describeNaming(addresses), (title) =>
        eraseAddressesIn(title, addresses),
      );
  };
