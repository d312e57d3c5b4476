// The products and carts chosen for the copies of an email are stored for 400 days and then
// deleted. Until then, the links and the web version of a copy use them; afterwards they use the
// fallback, as for a recipient without products.
import { clock } from '#platform/server/clock.ts';
import { inTransaction } from '#platform/server/database/database.ts';
import type { Poller } from '#platform/server/jobs/pollers.ts';
import { listAccountsWithPicks, deletePicks } from './picks.sql.ts';

const RETENTION_MS = 400 * 86_400_000;
const ROWS_PER_TRANSACTION = 5_000;

export const picksPoller: Poller = {
  name: 'products.delete-picks',
  intervalMs: 3_600_000,
  async run(db, signal) {
    const before = new Date(clock.now().getTime() - RETENTION_MS);
    for (const accountId of await listAccountsWithPicks(db, before)) {
      const deleteBatch = () =>
        inTransaction(db, (tx) => deletePicks(tx, accountId, before, ROWS_PER_TRANSACTION));
      while (!signal.aborted && (await deleteBatch()) === ROWS_PER_TRANSACTION);
    }
  },
};
