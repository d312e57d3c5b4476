// Which products a copy showed is kept for its links and its page in the browser, and forgotten when nobody comes back
// to such an old email any more: its products are then those of whom nothing was found for.
import { clock } from '#platform/server/clock.ts';
import { inTransaction } from '#platform/server/database.ts';
import type { Poller } from '#platform/server/pollers.ts';
import { accountsWithPicks, forgetPicks } from './picks.sql.ts';

const KEPT_MS = 400 * 86_400_000;
const AT_ONCE = 5_000;

export const picksPoller: Poller = {
  name: 'products.forget',
  everyMs: 3_600_000,
  async run(db, signal) {
    const before = new Date(clock.now().getTime() - KEPT_MS);
    for (const accountId of await accountsWithPicks(db, before)) {
      const forget = () => inTransaction(db, (tx) => forgetPicks(tx, accountId, before, AT_ONCE));
      while (!signal.aborted && (await forget()) === AT_ONCE);
    }
  },
};
