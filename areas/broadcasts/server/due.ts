// Starts due broadcasts. The elected worker polls once a second; a row lock lets one process start
// each broadcast, even if the election changes. A late broadcast (`isLate`) is not started before a
// user confirms it.
import { releaseApproval, requestAgain } from '#areas/approvals/server/index.ts';
import { clock } from '#platform/server/clock.ts';
import {
  type Db,
  inTransaction,
  isConnectionLost,
  isRetriable,
} from '#platform/server/database/database.ts';
import { AppError } from '#platform/server/errors.ts';
import type { Poller } from '#platform/server/jobs/pollers.ts';
import { sendChangeHint } from '#platform/server/live/live.ts';
import { log } from '#platform/server/log.ts';
import { LATE_MS } from '../shared.ts';
import { type BroadcastAdapter, type BroadcastRow, scheduleKind } from './adapter.ts';
import { requireApproved } from './approval-kinds.ts';
import { listAccountsWithDue, lockDueBroadcast, lockRow, updateRow } from './broadcasts.sql.ts';
import { UNSCHEDULED } from './broadcasts.ts';
import { processAccounts } from './each-account.ts';
import { broadcastNotStarted } from './events.ts';
import { createFailureTracker, type FailureTracker } from './failures.ts';
import { startNow } from './lifecycle.ts';
import { postponeForEarlier } from './series.ts';

/** Runs in the elected worker. */
export function createDuePoller<Row extends BroadcastRow>(adapter: BroadcastAdapter<Row>): Poller {
  return { name: `${adapter.area}.due`, intervalMs: 1000, run: (db) => startDue(db, adapter) };
}

/** Returns the number of processed broadcasts: started, postponed or made drafts. */
export async function startDue<Row extends BroadcastRow>(
  db: Db,
  adapter: BroadcastAdapter<Row>,
): Promise<number> {
  const now = clock.now();
  const lateBefore = new Date(now.getTime() - LATE_MS);
  const failures = getFailures(adapter.area);
  failures.deleteStale(now);
  return processAccounts(await listAccountsWithDue(db, adapter, now, lateBefore), (accountId) =>
    startNextDue(db, adapter, accountId, now, lateBefore),
  );
}

async function startNextDue<Row extends BroadcastRow>(
  db: Db,
  adapter: BroadcastAdapter<Row>,
  accountId: number,
  now: Date,
  lateBefore: Date,
): Promise<boolean> {
  const failures = getFailures(adapter.area);
  for (;;) {
    let row: Row | undefined;
    try {
      await inTransaction(db, async (tx) => {
        row = await lockDueBroadcast<Row>(
          tx,
          adapter,
          accountId,
          now,
          lateBefore,
          failures.listDeferred(accountId, now),
        );
        if (row === undefined) return;
        if (!(await postponeForEarlier(tx, adapter, row))) {
          await requireApproved(tx, adapter, row);
          await startNow(tx, adapter, row);
        }
        sendChangeHint(tx, accountId, adapter.idKind, row.id);
      });
      if (row !== undefined) failures.delete(accountId, row.id);
      return row !== undefined;
    } catch (error) {
      // If the database is unavailable, making the broadcast a draft also fails.
      if (row === undefined || isRetriable(error) || isConnectionLost(error)) throw error;
      const logFields = { account: accountId, [adapter.idKind]: row.id, error };
      if (!adapter.isResolvableByUsers(error)) {
        log.error('Could not start a scheduled message; retrying', logFields);
        failures.add(accountId, row.id, now, false);
        continue;
      }
      log.warn('Could not start a scheduled message', logFields);
      if (isSlow(error) && failures.add(accountId, row.id, now, true).slowCount < MAX_SLOW)
        continue;
      failures.delete(accountId, row.id);
      await returnToDraft(db, adapter, row, error);
      return true;
    }
  }
}

/**
 * Failed starts by area. A failed broadcast is deferred while others continue, because a busy
 * machine may render slowly for a while, and an unexpected failure may be temporary.
 */
const failuresByArea = new Map<string, FailureTracker>();
const MAX_SLOW = 5;

function getFailures(area: string): FailureTracker {
  const failures = failuresByArea.get(area) ?? createFailureTracker(60_000);
  failuresByArea.set(area, failures);
  return failures;
}

const isSlow = (error: unknown) => error instanceof AppError && error.code === 'document_too_slow';

/**
 * Turns a broadcast that can no longer be sent into a draft and notifies users of the account. The
 * draft's checks show the reason.
 */
async function returnToDraft<Row extends BroadcastRow>(
  db: Db,
  adapter: BroadcastAdapter<Row>,
  dueRow: Row,
  error: unknown,
): Promise<void> {
  const { account_id: accountId, id } = dueRow;
  const at = clock.now();
  await inTransaction(db, async (tx) => {
    const row = await lockRow<Row>(tx, adapter, accountId, id);
    // A user canceled or changed the broadcast first.
    if (row?.status !== 'SCHEDULED' || row.message_id !== null) return;
    if (row.scheduled_at?.getTime() !== dueRow.scheduled_at?.getTime()) return;
    await updateRow(tx, adapter, accountId, id, { ...UNSCHEDULED, modified_at: at });
    sendChangeHint(tx, accountId, adapter.idKind, id);
    await broadcastNotStarted.announce(tx, {
      ...{ accountId, kind: adapter.messageKind, campaignId: id, at },
      name: adapter.getName(row),
    });
    const isExceeded = error instanceof AppError && error.code === 'approval_exceeded';
    if (isExceeded) await requestAgain(tx, accountId, scheduleKind(adapter), id, {});
    else await releaseApproval(tx, accountId, scheduleKind(adapter), id);
  });
}
