// Deletes usage counts older than seven days, expired codes and tokens, and clients without a
// connection. Ends connections with expired refresh tokens.
import { forEachAccount } from '#areas/accounts/server/index.ts';
import { clock } from '#platform/server/clock.ts';
import type { Poller } from '#platform/server/jobs/pollers.ts';
import { deleteOldUse } from './agents.sql.ts';
import { CONNECTION_DAYS } from './oauth/adapter.ts';
import { revokeIdleGrants } from './oauth/grants.sql.ts';
import { deleteExpiredState } from './oauth/state.sql.ts';

const DAY_MS = 86_400_000;
const RETENTION_DAYS = 7;

export const housekeepingPoller: Poller = {
  name: 'agents.housekeeping',
  intervalMs: 86_400_000,
  run: async (db, signal) => {
    const now = clock.now();
    const subtractDays = (days: number) => new Date(now.getTime() - days * DAY_MS);
    await forEachAccount(db, signal, async (accountId) => {
      await deleteOldUse(db, accountId, subtractDays(RETENTION_DAYS));
      await revokeIdleGrants(db, accountId, subtractDays(CONNECTION_DAYS), now);
    });
    // Runs last because it fails while a cluster node is down.
    await deleteExpiredState(db, now);
  },
};
