// Finds backends waiting for another transaction's lock, so that race tests can continue once one
// is blocked.
import { sql } from 'kysely';
import {
  type Db,
  inTransaction,
  type Reader,
  type Tx,
} from '#platform/server/database/database.ts';
import { isOnCluster } from '#platform/server/database/query-plan.sql.ts';

/**
 * Returns process IDs for pg_terminate_backend, limited to backends with a statement that matches
 * `query`. Nodes of a cluster write statements in capitals.
 */
export async function lockWaiters(db: Reader, query = '%'): Promise<number[]> {
  const { rows } = (await isOnCluster(db))
    ? await sql<{ pid: number }>`select global_pid as pid from citus_stat_activity
        where wait_event_type = 'Lock' and datname = current_database() and query ilike ${query}`.execute(
        db,
      )
    : await sql<{ pid: number }>`select pid from pg_stat_activity
        where wait_event_type = 'Lock' and datname = current_database() and query like ${query}`.execute(
        db,
      );
  return rows.map(({ pid }) => pid);
}

/** Resolves once a statement of this database waits for a lock. */
export async function waitForLockWait(db: Reader): Promise<void> {
  while ((await lockWaiters(db)).length === 0)
    await new Promise((resolve) => setTimeout(resolve, 20));
}

/**
 * Sends a request after `change` ran and before it is committed. `afterwards` also runs before the
 * commit, once the request has finished or waits for a lock.
 */
export async function runDuringChange<T>(
  db: Db,
  change: (tx: Tx) => Promise<unknown>,
  request: () => Promise<T>,
  afterwards?: (tx: Tx) => Promise<unknown>,
): Promise<T> {
  let pending: Promise<T> | undefined;
  await inTransaction(db, async (tx) => {
    await change(tx);
    pending = request();
    await Promise.race([pending, waitForLockWait(db)]);
    await afterwards?.(tx);
  });
  return pending as Promise<T>;
}
