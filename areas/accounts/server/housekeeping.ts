// Deletes expired data once an hour, account by account.
import { clock } from '#platform/server/clock.ts';
import type { Db } from '#platform/server/database/database.ts';
import { dropOldResponses } from '#platform/server/http/old-responses.ts';
import type { Poller } from '#platform/server/jobs/pollers.ts';
import { deleteFullBuckets } from '#platform/server/limits/rate-limit.ts';
import { SESSION_DAYS } from '../shared.ts';
import { forEachAccount } from './for-each-account.ts';
import { dropExpiredOperatorSessions } from './operator-sessions.sql.ts';
import { dropOldChallenges } from './passkeys.sql.ts';
import { dropPushesOfEnded } from './push.sql.ts';
import { dropEndedSessions, dropOldEmailTokens, dropOldFailures } from './sessions.sql.ts';

const DAY_MS = 86_400_000;

export const housekeepingPoller: Poller = {
  name: 'accounts.housekeeping',
  intervalMs: 3_600_000,
  run: async (db, signal) => {
    await forEachAccount(db, signal, (accountId) => dropOldResponses(db, accountId));
    await deleteFullBuckets(db);
    await deleteOldSessions(db, signal);
  },
};

/**
 * Deletes ended sessions, which contain IP addresses and devices, one session lifetime after their
 * end, and also failed sign-ins, operators' sessions, passkey challenges, email tokens and push
 * subscriptions that are no longer needed.
 */
export async function deleteOldSessions(db: Db, signal: AbortSignal): Promise<void> {
  const before = new Date(clock.now().getTime() - SESSION_DAYS * DAY_MS);
  await forEachAccount(db, signal, (accountId) => dropEndedSessions(db, accountId, before));
  await forEachAccount(db, signal, (accountId) => dropPushesOfEnded(db, accountId, clock.now()));
  await dropOldFailures(db, before);
  await dropExpiredOperatorSessions(db, clock.now());
  await dropOldChallenges(db, before);
  // Runs last because it fails while a cluster node is down.
  await dropOldEmailTokens(db, before);
}
