// Once an hour, account by account: what was kept for a while is let go.
import { dropOldAnswers } from '#platform/server/http/old-answers.ts';
import type { Poller } from '#platform/server/pollers.ts';
import { accountsAfter } from './accounts.sql.ts';

export const housekeepingPoller: Poller = {
  name: 'accounts.housekeeping',
  everyMs: 3_600_000,
  run: async (db, signal) => {
    let after = 0;
    for (;;) {
      const accounts = await accountsAfter(db, after, 1000);
      for (const accountId of accounts) {
        if (signal.aborted) return;
        await dropOldAnswers(db, accountId);
      }
      if (accounts.length === 0) return;
      after = accounts.at(-1) ?? after;
    }
  },
};
