// Once an hour, account by account: what was kept for a while is let go.
import { dropOldAnswers } from '#platform/server/http/old-answers.ts';
import type { Poller } from '#platform/server/pollers.ts';
import { forEachAccount } from './for-each-account.ts';

export const housekeepingPoller: Poller = {
  name: 'accounts.housekeeping',
  everyMs: 3_600_000,
  run: (db, signal) => forEachAccount(db, signal, (accountId) => dropOldAnswers(db, accountId)),
};
