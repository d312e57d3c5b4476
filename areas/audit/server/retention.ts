// Deletes entries of the audit log after their retention, oldest first.
import { forEachAccount } from '#areas/accounts/server/index.ts';
import { clock } from '#platform/server/clock.ts';
import type { Db } from '#platform/server/database/database.ts';
import type { Poller } from '#platform/server/jobs/pollers.ts';
import { readSettings } from './audit.ts';
import { deleteActs } from './audit.sql.ts';

const DAY_MS = 86_400_000;
const BATCH_ROWS = 5_000;

export const retentionPoller: Poller = {
  name: 'audit.retention',
  intervalMs: 3_600_000,
  run: (db, signal) =>
    forEachAccount(db, signal, (accountId) => deleteOldActs(db, accountId, signal)),
};

/** Deletes in batches that are committed separately, so that no transaction is long. */
async function deleteOldActs(db: Db, accountId: number, signal: AbortSignal): Promise<void> {
  const { retention_days: days } = await readSettings(db, accountId);
  const before = new Date(clock.now().getTime() - days * DAY_MS);
  while (!signal.aborted && (await deleteActs(db, accountId, before, BATCH_ROWS)) === BATCH_ROWS);
}
