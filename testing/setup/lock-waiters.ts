// Backends that wait for another transaction's lock: tests of races wait until there is one.
import { sql } from 'kysely';
import type { Reader } from '#platform/server/database/database.ts';
import { isOnCluster } from '#platform/server/database/query-plan.sql.ts';

/**
 * Process ids for pg_terminate_backend; `query`: only statements like it, which nodes write in
 * capitals.
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
