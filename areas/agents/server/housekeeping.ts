// Deletes the use of past days, which no budget counts any more, and expired codes and tokens.
import { forEachAccount } from '#areas/accounts/server/index.ts';
import { clock } from '#platform/server/clock.ts';
import type { Poller } from '#platform/server/jobs/pollers.ts';
import { deleteOldUse } from './agents.sql.ts';
import { deleteExpiredState } from './oauth/state.sql.ts';

const KEPT_MS = 7 * 86_400_000;

export const housekeepingPoller: Poller = {
  name: 'agents.housekeeping',
  everyMs: 86_400_000,
  run: async (db, signal) => {
    await deleteExpiredState(db, clock.now());
    await forEachAccount(db, signal, (accountId) =>
      deleteOldUse(db, accountId, new Date(clock.now().getTime() - KEPT_MS)),
    );
  },
};
